// One intercepted call while it is turned into an event. Roles (roles.h) store the raw arguments;
// interceptor.h, buffers.cpp, atomics.cpp and completion.cpp turn them into world ranks, ids and
// buffers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/mpi/objects.h"
#include "model/call.h"
#include "runtime/recorder.h"
#include "runtime/thread_accesses.h"

namespace photofinish::mpi {

// An array argument of int, or, in the large-count calls, of MPI_Count or MPI_Aint.
struct IntegerArray {
  const void* data;
  bool wide;
  std::int64_t operator[](int i) const {
    return wide ? static_cast<const std::int64_t*>(data)[i] : static_cast<const int*>(data)[i];
  }
};
static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8, "64-bit platforms only");

// One data argument of a call, in any of MPI's forms. The role of the address runs first and resets
// the other members: a call that has no such argument does not pay for them.
struct BufferArguments {
  const void* address;
  std::int64_t count;
  MPI_Datatype type;
  IntegerArray counts;  // null data: `count` elements for each rank
  IntegerArray displacements;
  bool in_bytes;  // the unit of the displacements; otherwise the extent of the type
  const MPI_Datatype* types;
  bool in_place() const { return address == MPI_IN_PLACE; }
};

// State of a task besides its event. It persists from call to call.
struct Scratch {
  std::vector<MPI_Status> statuses;
  std::vector<RequestRecord*> taken;
  std::vector<MPI_Request> handles;  // as they were before the call
  std::uint64_t begun = 0;           // start of the current blocking call, in ticks
  // Tests that fail repeatedly at one call site are one event with a count.
  SiteId failed_site;
  Call failed_call{};
  std::uint64_t failed_times = 0;
  Event failed_again;
  std::unique_ptr<ThreadAccesses> touched;  // loads and stores of an instrumented program
  Event touch;
};

// Only members that are read even if no role sets them are initialized.
struct Context {
  Context(Task& current, Call name)
      : task(current), event(current.event), scratch(scratch_of(current)), call(name) {
    send.address = recv.address = nullptr;
    event.clear();
    event.call = name;
  }

  static Scratch& scratch_of(Task& task) {
    if (task.front_end == nullptr) [[unlikely]]
      task.front_end = std::make_shared<Scratch>();
    return *static_cast<Scratch*>(task.front_end.get());
  }

  Task& task;
  Event& event;
  Scratch& scratch;
  Call call;

  BufferArguments send, recv;
  struct {
    std::uint64_t displacement;
    std::int64_t count;
    MPI_Datatype type;
  } target;
  const void* compare;
  CommRecord* comm = nullptr;
  MPI_Comm comm_handle;
  WinRecord* win = nullptr;
  const void* win_base = nullptr;
  MPI_Aint win_bytes = 0;
  int to, from, root, target_rank;
  MPI_Op op;
  std::int64_t last_expected = 0;  // number of the last atomic that the call may complete

  RequestRecord* new_request = nullptr;
  const RequestRecord* asked_request = nullptr;  // named by a call that does not complete it
  MPI_Comm* new_comm_later = nullptr;
  CommRecord* duplicate = nullptr;
  std::uint64_t salt = 0;

  MPI_Request* requests;
  int request_count;
  MPI_Status* status;  // the program's, or ours if it passed MPI_STATUS(ES)_IGNORE
  int* flag = nullptr;
  int* index;
  int* out_count;
  int* out_indices;

  void* pack_buffer;
  std::int64_t position;
  const void* position_variable;
  bool position_is_wide;
};

// buffers.cpp: the memory that a call accesses, as far as its arguments show.
void add_buffers(Context& context, Action action);
void add_pack_buffer(Context& context, Action action);

// atomics.cpp: what one-sided atomics wrote and read.
constexpr bool is_atomic(Action action) {
  return action == Action::Accumulate || action == Action::GetAccumulate ||
         action == Action::FetchAndOp || action == Action::CompareAndSwap;
}
void add_atomic(Context& context, Action action);
void expect_results(Context& context);  // before a call that may complete some
void add_results(Context& context);     // after it
void add_result_of(Context& context, const RequestRecord& record);

// completion.cpp: calls that complete, start, cancel or free requests.
void take_requests(Context& context);
void name_requests(Context& context, Action action);  // MPI_Start, MPI_Cancel: not taken
void complete_requests(Context& context, Action action, int result);
// Whether a receive failed because the message was too long.
bool is_truncation(int result);
void set_matched(Context& context, const MPI_Status& status);
void set_matched_of_request(Context& context);  // MPI_Request_get_status, if complete

}  // namespace photofinish::mpi
