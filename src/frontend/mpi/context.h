// One intercepted call while it becomes an event. Roles fill in the raw arguments, resolve.h turns
// them into world ranks, ids and bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "frontend/mpi/objects.h"
#include "model/call.h"
#include "record/access_records.h"
#include "record/journal.h"
#include "record/turn_order.h"
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

// One data argument of a call, in whichever of MPI's forms it came. Its address comes first and
// resets the rest: most calls have one or none, and should not pay for three.
struct BufferArguments {
  const void* address;
  std::int64_t count;
  MPI_Datatype type;
  IntegerArray counts;  // null data: `count` for each rank
  IntegerArray displacements;
  bool in_bytes;  // of the displacements
  const MPI_Datatype* types;
  bool in_place() const { return address == MPI_IN_PLACE; }
};

// What the calling task needs beside its event, and keeps from call to call.
struct Scratch {
  std::vector<MPI_Status> statuses;
  std::vector<RequestRecord*> taken;
  std::vector<MPI_Request> handles;  // as they were before the call
  std::uint64_t begun = 0;           // when the call that waits began, in ticks
  // A test that fails again and again, at one place, is one event with a count.
  SiteId failed_site;
  Call failed_call{};
  std::uint64_t failed_times = 0;
  Event failed_again;
  std::unique_ptr<ThreadAccesses> touched;  // by a program that was built with the pass
  Event touch;
  Journal* journal = nullptr;  // of a recorded or replayed rank
  ThreadName journal_of;       // whose it is
  bool calls_mpi = false;      // in such a rank
  Inquiry query;
  std::uint64_t steps = 0;  // of such a rank (model/call.h)
  TypeId known_type;        // the last one that was looked up
  const DataMap* known_map = nullptr;
  std::vector<std::uint8_t> gathered;        // contents that do not lie in one piece
  bool ending = false;                       // the record ends inside the call at hand
  std::unique_ptr<AccessRecordLog> account;  // of a replayed rank that is to be explained
};

// Only what is asked for without its role being there has a value from the start.
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

  RequestRecord* new_request = nullptr;
  const RequestRecord* asked_request = nullptr;  // that stays as it is
  MPI_Comm* new_comm_later = nullptr;
  CommRecord* duplicate = nullptr;
  std::uint64_t salt = 0;

  MPI_Request* requests;
  int request_count;
  MPI_Status* status;  // the program's, or ours where it did not want one
  int* flag = nullptr;
  int* index;
  int* out_count;
  int* out_indices;

  void* pack_buffer;
  std::int64_t position;
  const void* position_variable;
  bool position_is_wide;
};

// buffers.cpp: the memory that a call touches, as far as its arguments tell.
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

// completion.cpp: Wait*, Test* and their like.
void take_requests(Context& context);
void name_requests(Context& context, Action action);  // MPI_Start, MPI_Cancel: they stay
void complete_requests(Context& context, Action action, int result);
// Whether a receive failed because the message was too long.
bool is_truncation(int result);
void set_matched(Context& context, const MPI_Status& status);
void set_matched_of_request(Context& context);  // that was asked about, and is complete

}  // namespace photofinish::mpi
