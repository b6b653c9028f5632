// One rank of a confirming run: holds tasks that reach an access site of the race, and releases
// them in the order that was asked for (docs/internals/confirm.md).
//
// Ground rules: every wait ends, and none stops MPI's progress. A call is deferred only as far as
// the standard lets the library itself defer it: until local completion, or from a copy of its
// origin data until remote completion, and never past what MPI orders with it (accumulates of one
// origin to one target). Whatever cannot be steered is passed through and reported as not forced.
// Cannot defer: operations with a request, persistent ones among them; it only observes them (but
// it can make a receive name another source). Not supported: partitioned operations.
//
// control.cpp: start, and the steps around a call. control_rendezvous.cpp: who waits for whom.
// control_operations.cpp: calls that are an access site. control_accesses.cpp: loads and stores.
// control_receives.cpp: message races.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "confirm/rendezvous_table.h"
#include "confirm/schedule.h"
#include "frontend/mpi/context.h"
#include "frontend/mpi/control_channel.h"
#include "frontend/mpi/origin_copy.h"
#include "photofinish/runtime_abi.h"

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
  static bool has_schedule(const std::string& directory);
  // On all ranks, once recording has started, if a rank sees a schedule in the directory of the
  // run. `recorded`: this rank is recorded for replay.
  static void start(WorldRank rank, int size, const std::string& directory,
                    const Definitions& known, bool recorded);

  // The calls are on record: of an explored run, or of a rank that is recorded for replay.
  bool records() const { return schedule_.explores || recorded_; }
  // In front of MPI_Abort in such a run: the other ranks go on until they wait, so that their
  // choices are on record.
  void let_others_continue();
  // Whether such a call may pass without its arguments being read: it is unrelated to the race.
  // Then these are around it if it may wait.
  bool lets_pass(Call call, Action action);
  void begin_waiting() { words_[rank_.value].fetch_or(1, std::memory_order_relaxed); }
  void end_waiting() {
    const std::uint64_t word = words_[rank_.value].load(std::memory_order_relaxed);
    words_[rank_.value].store((word | 1) + 1, std::memory_order_relaxed);
  }
  // This rank has failed: deferred calls are made, and others that wait for it proceed. In front of
  // a call that is passed on; `last`: MPI_Finalize.
  void leave(bool last);
  // Such a rank's part in the exchange about a new window.
  static void join_window(MPI_Comm comm) noexcept;
  // Around a call, on the thread that makes it, with its arguments read.
  void before(Context& c);
  void after(Context& c);
  // The source and tag of a receive or probe: the program's own unless it is steered.
  int source(int given) const;
  int tag(int given) const;
  // The window of a one-sided operation: another one over the same memory if it is to complete at
  // once in an epoch that cannot be flushed.
  MPI_Win window(MPI_Win given) const;
  // The function to call instead, with the same parameters: MPI_Send_init for an MPI_Isend that is
  // deferred, MPI_Ssend for an MPI_Send that must not be buffered. Null: the call itself.
  void* replacement(Call call) const;
  // Whether the call is deferred: then `call` is made before the call that completes it, from the
  // copy of its origin data if there is one.
  bool is_deferred() const;
  // Whether what the call started was completed at once, to go first.
  bool is_complete() const;
  std::shared_ptr<const OriginCopy> copy_origin(const Context& c) const;
  void defer(Context& c, std::shared_ptr<const OriginCopy> copy, std::function<int()> call);
  // Whether the call may expose memory that a side loads or stores.
  bool follows(const Context& c) const;

  bool checks_memory() const;
  // Of the sides that are loads and stores (base/line_key.h).
  std::vector<std::uint32_t> lines() const;
  // The sides that a load or store at this call site is, as one byte that is not 0.
  std::uint8_t sides_at(Call call, std::uint64_t pc);
  // Whether a load or store at a site with such a byte (0: not known) is to be reported.
  bool wants(std::uint8_t sides) const;
  // The access is about to be made. `loop`: the first of many.
  void reach_access(std::uint8_t sides, std::vector<Strided> footprint, bool loop);
  // The thread synchronizes with others, or calls MPI: its accesses so far are over.
  void end_accesses();

 private:
  struct Peer {  // of a window
    std::uint64_t base;
    std::int64_t unit;
  };
  // An operation of this rank at a side that is issued or deferred, and not complete.
  struct PendingOperation {
    std::uint32_t slot = 0;  // in the table
    std::int64_t win = 0;
    std::int64_t target = -1;
    std::vector<RequestId> requests;  // the first to complete ends it
    // The access is over at local completion: it is to the origin's memory, or its operation
    // returns a result.
    bool over_locally = false;
    bool atomic = false;
    std::function<int()> later;  // deferred: not made yet
    // A deferred send or receive: a persistent request, started later. The program does not know
    // that it is persistent.
    bool by_request = false, is_send = false;
    // Lives until the operation is complete: MPI may read it until then. Without a copy, a deferred
    // operation is issued at local completion, because its buffers belong to the program
    // afterwards.
    std::shared_ptr<const OriginCopy> copy;
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

  Control(Schedules schedules, WorldRank rank, int size, const Definitions& known, bool recorded);
  bool share_table(const std::string& directory);
  void open_channel();
  bool may_call() const;
  template <class Write>
  void exchange(Write write);
  void receive_messages();

  // Bit 0, bit 1; kOtherSite: a site of another race.
  std::uint32_t sides_of(Call call, SiteId site);
  TableEntry make_entry(std::uint32_t sides);
  void add_buffers(TableEntry& mine, const Context& c, const ScheduledSide& side);
  void add_pieces(TableEntry& mine, const std::vector<Buffer>& buffers, AccessKind kind,
                  std::int64_t base, std::int64_t unit) const;
  void remember_prepared(const Context& c);
  void count_arrival(std::uint32_t sides);
  bool takes_part(std::uint32_t sides) const;
  bool wants_to_wait(std::uint32_t sides);
  Turn reach_site(TableEntry& mine, bool stays_pending, std::uint32_t& slot);
  Turn pause(std::uint32_t limit_ms, std::uint32_t slot);
  Turn await_answers(std::uint64_t ask, Turn turn);
  void wait_for_first();
  void let_first_continue();
  void hold_at_other_site();
  void first_is_done();
  void store_meeting();
  void stop_for_debugger();
  void close(std::uint64_t number);
  bool is_settled() const;
  bool has_met() const;
  void reach_call(Context& c, std::uint32_t sides);
  bool complete_early(Context& c);
  bool completes(const PendingOperation& operation, const Context& c, bool locally) const;
  static bool must_issue_locally(const PendingOperation& operation) {
    return operation.over_locally || (operation.later && operation.copy == nullptr);
  }
  void before_completion(Context& c);
  bool must_precede(const PendingOperation& operation, const Context& c) const;
  bool is_deferrable(const Context& c) const;
  void defer_request(Context& c);
  void free_deferred_requests(Context& c);
  void open_second_window(const WinDefinition& definition, MPI_Comm comm);
  void close_second_window(const Context& c);
  void issue_deferred(const Context& c);
  void retire_completed(const Context& c);
  void follow_locks(const Context& c);
  bool may_flush(const Context& c) const;
  void gather_window(Context& c);
  bool is_matched_receive(const Context& c) const;
  struct Chosen {
    int source, tag;
  };
  ByteRange bytes_of_race() const;
  std::optional<Chosen> prescribed(const CommRecord& comm, bool any_tag) const;
  std::optional<Chosen> choose(const CommRecord& comm, MPI_Comm handle, When when, bool any_tag);
  void choose_message(Context& c);
  void choose_for_starts(Context& c);
  void remember_persistent(const Context& c);
  void check_message(Context& c);
  bool all_others_wait();
  std::uint64_t wait_ns();
  bool is_other_stopped();
  void make_progress();

  template <class Change>
  void with_table(Change change);

  static std::atomic<Control*> instance_;  // a failure clears it while other threads read it

  const Schedules schedules_;
  const std::size_t finding_;  // the one that this rank takes part in
  const Schedule& schedule_;   // its
  const bool of_memory_;       // some finding is
  bool of_buffers_ = false;    // a side is a call that uses a buffer of its rank
  const WorldRank rank_;
  const int size_;
  const Definitions& known_;
  const bool recorded_;  // this rank, for replay
  MPI_Comm comm_ = MPI_COMM_NULL;
  int thread_level_ = 0;
  RendezvousTable* table_ = nullptr;
  std::atomic<std::uint64_t>* words_ = nullptr;  // one for each rank: odd while it waits for others
  const std::atomic<std::uint64_t>* processes_ = nullptr;  // of each rank; null: on several nodes
  RankResult* result_ = nullptr;
  // Ranks on several nodes: the table is this rank's own.
  std::mutex channel_mutex_;
  std::unique_ptr<RendezvousTable> own_table_;
  std::unique_ptr<ControlChannel> channel_;
  std::unique_ptr<MeetingProtocol> protocol_;

  std::mutex mutex_;                                        // of what follows
  std::unordered_map<std::uint64_t, std::uint32_t> sites_;  // sides by key
  std::vector<std::uint8_t> sides_of_site_;                 // 1 + sides; 0: not known yet
  std::map<std::int64_t, std::vector<Peer>> windows_;
  std::set<RequestId> deferred_requests_;
  std::map<std::int64_t, MPI_Win> second_windows_;  // over the same memory, in a lock epoch
  std::vector<HeldLock> locks_;
  std::vector<PendingOperation> pending_;
  std::map<RequestId, std::vector<Buffer>> prepared_;  // of persistent operations
  std::minstd_rand random_;
  double eagerness_ = 1;  // the probability of the next pause
  std::uint64_t arrivals_[2] = {};
  std::uint64_t timestamp_ = 1, arrival_timestamp_[2] = {};
  std::uint64_t awaited_request_ = 0;
  std::atomic<std::uint32_t> holds_in_vain_ = 0;
  std::map<RequestId, Persistent> persistent_;
  // What the wildcard receives of this rank are to match; null: whatever comes. The index of the
  // one that is steered, if it is here.
  const std::vector<Schedule::Match>* matches_ = nullptr;
  std::uint64_t steered_ = ~std::uint64_t{0};
  std::uint32_t missed_ = 0;         // in a row
  std::uint64_t wildcards_ = 0;      // wildcard receives and probes so far that matched a message
  std::uint64_t message_since_ = 0;  // the next of them waits for its message
  bool follows_ = true;              // the recorded matches, as long as they occur
  // The other ranks' words at the last check, and since when they have not changed.
  std::vector<std::uint64_t> seen_words_;
  std::uint64_t quiet_since_ = 0, last_check_ = 0;
};

}  // namespace photofinish::mpi
