// MPI's part in a confirming run: what its calls access, when they can be completed early or
// deferred, and which message a receive takes. The engine is steering/steering.h.
//
// A call is deferred only as far as the standard lets the library itself defer it: until local
// completion, or from a copy of its origin data until remote completion, and never past what MPI
// orders with it (accumulates of one origin to one target). Cannot defer: one-sided operations with
// a request going second; it only observes them. Not supported: partitioned operations.
//
// control.cpp: start, and the steps around a call. control_operations.cpp: calls that are an access
// site. control_receives.cpp: message races.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/mpi/context.h"
#include "frontend/mpi/origin_copy.h"
#include "frontend/mpi/window_turns.h"
#include "photofinish/runtime_abi.h"
#include "steering/steering.h"

namespace photofinish::mpi {

// Calls that create no state that a confirming run has to know: no handle, no lock, no request.
constexpr bool leaves_nothing(Action action, When when) {
  switch (action) {
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
      return when == When::Returns;
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
    case Action::WinSync:
      return true;
    case Action::Send:
    case Action::Receive:
    case Action::SendReceive:
    case Action::SendReceiveReplace:
    case Action::Probe:
    case Action::Barrier:
    case Action::Bcast:
    case Action::Gather:
    case Action::Scatter:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::Reduce:
    case Action::Allreduce:
    case Action::ReduceScatter:
    case Action::Scan:
    case Action::Exscan:
      return when == When::Blocks;
    default:
      return false;
  }
}

class Control {
 public:
  // Null unless this is a confirming run.
  static Control* get() { return instance_.load(std::memory_order_acquire); }
  // On all ranks, once recording has started, if a rank sees a schedule in the directory of the
  // run. `recorded`: this rank is recorded for replay. Starts the steering for all front ends.
  static void start(WorldRank rank, int size, const std::string& directory,
                    const Definitions& known, bool recorded);

  Steering& steering() { return steering_; }
  // In front of MPI_Abort in such a run: the other ranks go on until they wait, so that their
  // choices are on record.
  void let_others_continue() { steering_.let_others_continue(); }
  // Whether such a call may pass without its arguments being read: it is unrelated to the race.
  bool lets_pass(Call call, Action action);
  // Such a rank's part in the exchange about a new window.
  static void join_window(MPI_Comm comm) noexcept;
  // Around a call, on the thread that makes it, with its arguments read.
  void before(Context& c);
  void after(Context& c);
  // The source and tag of a receive or probe: the program's own unless it is steered.
  int source(int given) const;
  int tag(int given) const;
  // The buffer of a send or receive with a request: a copy of it if the send goes first, or the
  // receive second.
  void* buffer(const void* given) const;
  // A call completes a request, or finds it complete: what its receive got is written to its
  // buffer. -1: no size.
  void deliver(RequestId request, std::int64_t bytes, bool cancelled);
  // The window of a one-sided operation: another one over the same memory if it is to complete at
  // once in an epoch that cannot be flushed.
  MPI_Win window(MPI_Win given) const;
  // The function to call instead, with the same parameters: MPI_Send_init for an MPI_Isend that is
  // deferred, MPI_Ssend for an MPI_Send that must not be buffered. Null: the call itself.
  void* replacement(Call call) const;
  std::shared_ptr<const OriginCopy> copy_origin(const Context& c) const;
  void defer(Context& c, std::shared_ptr<const OriginCopy> copy, std::function<int()> call);
  // Whether the call may expose memory that a side loads or stores.
  bool follows(const Context& c) const;

 private:
  // An operation that uses a copy of its buffer, until it is complete.
  struct Copied {
    std::shared_ptr<const OriginCopy> copy;
    void* receives = nullptr;  // the buffer of a receive; null: a send
    DataMap map = {};
    std::int64_t count = 0;
    MPI_Request handle = MPI_REQUEST_NULL;
    bool released = false;  // it has gone second: its data may be written when it has arrived
  };
  struct Peer {  // of a window
    std::uint64_t base;
    std::int64_t unit;
  };
  struct Extent final : OperationScope {
    std::int64_t win = 0;
    std::int64_t target = -1;
    std::vector<RequestId> requests = {};  // the first to complete ends it
    bool atomic = false;
    // A deferred send or receive: a persistent request, started later. The program does not know
    // that it is persistent.
    bool by_request = false, is_send = false;
    bool started = false;  // of such a request
    bool freed = false;    // the program has freed it before that
  };
  // Of the call at hand.
  class Effect final : public CallEffect {
   public:
    explicit Effect(const Context& c) : c_(c) {}
    bool completes(const PendingOperation& operation, bool locally) const override;
    bool must_follow(const PendingOperation& operation) const override;
    bool has_completed(const PendingOperation& operation) const override;

   private:
    const Context& c_;
  };

  // A persistent receive from any source. For a steered start the program's variable holds a
  // request that names its source, and afterwards the original again.
  struct Persistent {
    void* address;
    int count;
    MPI_Datatype type;  // our own: the program may have freed its
    int tag;
    MPI_Comm comm_handle;
    const CommRecord* comm;
    MPI_Request from_any;
  };

  Control(Steering& steering, const Definitions& known);
  std::optional<Steering::Place> find_place(std::int64_t address) const;
  void add_buffers(TableEntry& mine, const Context& c);
  void remember_prepared(const Context& c);
  void reach_call(Context& c, std::uint32_t sides);
  bool complete_early(Context& c);
  PendingOperation pending_operation(const Context& c);
  bool is_deferrable(const Context& c) const;
  void defer_request(Context& c);
  void copy_buffer(const Context& c);
  void keep_copy(const Context& c);
  void name_pollable(const Context& c, bool after);
  bool is_arrived(RequestId request, MPI_Request handle, MPI_Status* status);
  void deliver_released();
  void deliver_before_free(const Context& c);
  void free_deferred_requests(Context& c);
  void free_later(Context& c);
  void open_second_window(const WinDefinition& definition, MPI_Comm comm);
  void close_second_window(const Context& c);
  void follow_locks(const Context& c);
  bool may_flush(const Context& c) const;
  void gather_window(Context& c);
  bool is_matched_receive(const Context& c) const;
  struct Chosen {
    int source, tag;
  };
  std::optional<Chosen> prescribed(const CommRecord& comm, bool any_tag) const;
  std::optional<Chosen> choose(const CommRecord& comm, MPI_Comm handle, When when, bool any_tag);
  void choose_message(Context& c);
  void choose_for_starts(Context& c);
  void remember_persistent(const Context& c);
  void check_message(Context& c);

  static std::atomic<Control*> instance_;  // a failure clears it while other threads read it

  Steering& steering_;
  const Schedule& schedule_;
  const Definitions& known_;

  mutable std::mutex mutex_;  // of what follows
  std::map<std::int64_t, std::vector<Peer>> windows_;
  std::map<RequestId, std::shared_ptr<Extent>> deferred_requests_;
  std::map<std::uint64_t, Copied> new_copies_;  // of the call that a thread is in, by its number
  std::map<RequestId, Copied> copies_;
  std::set<RequestId> pollable_;  // pending: no call of the program may be completing them
  bool may_poll_ = true;          // no other thread completes a request meanwhile
  std::map<std::int64_t, MPI_Win> second_windows_;     // over the same memory, in a lock epoch
  std::map<RequestId, std::vector<Buffer>> prepared_;  // of persistent operations
  std::uint64_t awaited_request_ = 0;
  std::map<RequestId, Persistent> persistent_;
  // What the wildcard receives of this rank are to match; null: whatever comes. The index of the
  // one that is steered, if it is here.
  const std::vector<Schedule::Match>* matches_ = nullptr;
  std::uint64_t steered_ = ~std::uint64_t{0};
  std::uint32_t missed_ = 0;         // in a row
  std::uint64_t wildcards_ = 0;      // wildcard receives and probes so far that matched a message
  std::uint64_t message_since_ = 0;  // the next of them waits for its message
  WindowTurns turns_;
  bool follows_ = true;  // the recorded matches, as long as they occur
};

// The call that the thread is in.
struct ControlStep {
  MPI_Win second_window = MPI_WIN_NULL;  // the operation goes there
  const void* copy = nullptr;            // it uses this copy of its buffer
  bool steered = false;                  // a receive, towards this message
  int source = 0, tag = 0;
};
inline thread_local ControlStep t_control;

constexpr bool takes_messages(Action action) {
  return action == Action::Receive || action == Action::SendReceive ||
         action == Action::SendReceiveReplace || action == Action::Probe ||
         action == Action::MatchedProbe;
}
constexpr bool is_one_sided(Action action) {
  return action == Action::Put || action == Action::Get || action == Action::Accumulate ||
         action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}
// An operation whose result is at the origin is complete at the target, too.
constexpr bool returns_result(Action action) {
  return action == Action::Get || action == Action::GetAccumulate || action == Action::FetchAndOp ||
         action == Action::CompareAndSwap;
}

}  // namespace photofinish::mpi
