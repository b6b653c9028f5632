// One rank of a confirming run: it holds the tasks that come to a side of the race, and lets them
// go in the order that was asked for (docs/internals/confirm.md).
//
// Ground rules: every wait has an end, and none keeps MPI from going on; a call is deferred only as
// far as the standard lets the library itself defer it: until local completion, or from a copy of
// its origin data until remote completion, and never past what MPI orders with it (accumulates of
// one origin to one target); what cannot be steered is left alone and said to be so. Cannot steer:
// operations with a request, persistent ones among them, which are only seen (but receives, which
// can be made to ask for another message); partitioned ones (not even that).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "confirm/board.h"
#include "confirm/schedule.h"
#include "frontend/mpi/context.h"
#include "frontend/mpi/mail.h"
#include "frontend/mpi/origin_copy.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::mpi {

// Calls that leave nothing behind that a confirming run has to know of: no handle, no lock, no
// request.
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
  // run.
  static void start(WorldRank rank, int size, const std::string& directory,
                    const Definitions& known);

  // Whether such a call may go by unread: nothing that happens here has to do with it. Then these
  // are around it if it may wait.
  bool lets_pass(Call call, Action action);
  void begin_waiting() { words_[rank_.value].fetch_or(1, std::memory_order_relaxed); }
  void end_waiting() {
    const std::uint64_t word = words_[rank_.value].load(std::memory_order_relaxed);
    words_[rank_.value].store((word | 1) + 1, std::memory_order_relaxed);
  }
  // This rank has failed: calls that were put off are made, and others that wait for it go on. In
  // front of a call that is passed on; `last`: MPI_Finalize.
  void take_leave(bool last);
  // Such a rank's share of what the ranks tell each other about a new window.
  static void join_window(MPI_Comm comm) noexcept;
  // Around a call, on the thread that makes it, with its arguments read.
  void before(Context& c);
  void after(Context& c);
  // What a receive or probe is to ask for; the program's own unless it is the one that is steered.
  int source(int given) const;
  int tag(int given) const;
  // Whether the call is deferred: then `call` is made before the call that completes it, from the
  // copy of its origin data if there is one.
  bool puts_off() const;
  std::shared_ptr<const OriginCopy> copy_origin(const Context& c) const;
  void put_off(Context& c, std::shared_ptr<const OriginCopy> copy, std::function<int()> call);
  // Whether what the call lets others reach may be what a side loads or stores.
  bool follows(const Context& c) const;

  bool checks_at_memory() const;
  // Of the sides that are loads and stores (base/line_key.h).
  std::vector<std::uint32_t> lines() const;
  // Which sides a load or store at this place is, as one byte that is not 0.
  std::uint8_t sides_of_place(Call call, std::uint64_t pc);
  // Whether a load or store at a place with such a byte (0: not known) is to be told.
  bool wants(std::uint8_t sides) const;
  // It is about to be made. `loop`: the first of many.
  void touch(std::uint8_t sides, std::vector<Strided> footprint, bool loop);

 private:
  struct Peer {  // of a window
    std::uint64_t base;
    std::int64_t unit;
  };
  // What this rank has started, or put off, at a side, and not completed.
  struct Flight {
    std::uint32_t place = 0;  // on the board
    std::int64_t win = 0;
    std::int64_t target = -1;
    std::vector<RequestId> requests;  // the first to complete ends it
    // The access is over at local completion: it is to the origin's memory, or its operation
    // returns a result.
    bool over_locally = false;
    bool atomic = false;
    std::function<int()> later;  // deferred: not made yet
    // Until the operation is complete, for MPI may read it until then. Without one, a deferred
    // operation is issued at local completion: its buffers belong to the program afterwards.
    std::shared_ptr<const OriginCopy> copy;
  };

  // A persistent receive from any source. For a start that is steered the program's variable holds
  // one that names its source, and then the first one again.
  struct Persistent {
    void* address;
    int count;
    MPI_Datatype type;  // our own: the program may have freed its
    int tag;
    MPI_Comm comm_handle;
    const CommRecord* comm;
    MPI_Request from_any;
  };

  Control(Schedules schedules, WorldRank rank, int size, const Definitions& known);
  bool share_board(const std::string& directory);
  void open_mail();
  bool may_call() const;
  template <class Write>
  void correspond(Write write);
  void read_mail();

  std::uint32_t sides_of(Call call, SiteId site);
  Posting posting(std::uint32_t sides);
  void add_buffers(Posting& mine, const Context& c, const ScheduledSide& side);
  void add_pieces(Posting& mine, const std::vector<Buffer>& buffers, AccessKind kind,
                  std::int64_t base, std::int64_t unit) const;
  void remember_prepared(const Context& c);
  void count_arrival(std::uint32_t sides);
  bool takes_part(std::uint32_t sides) const;
  bool wants_to_wait(std::uint32_t sides);
  Turn come(Posting& mine, bool goes_on, std::uint32_t& place);
  Turn pause(std::uint32_t limit_ms);
  Turn hear_answers(std::uint64_t ask, Turn turn);
  void wait_for_first();
  void first_is_done();
  void note_meeting();
  void come_to_call(Context& c, std::uint32_t sides);
  bool complete_early(Context& c);
  bool completes(const Flight& flight, const Context& c, bool locally) const;
  static bool needs_issue_locally(const Flight& flight) {
    return flight.over_locally || (flight.later && flight.copy == nullptr);
  }
  void before_completion(Context& c);
  void issue(const Context& c);
  void land(const Context& c);
  void follow_locks(const Context& c);
  bool may_flush(const Context& c) const;
  void gather_window(Context& c);
  bool is_steered_receive(const Context& c) const;
  struct Chosen {
    int source, tag;
  };
  ByteRange bytes_of_race() const;
  std::optional<Chosen> choose(const CommRecord& comm, MPI_Comm handle, When when, bool any_tag);
  void choose_message(Context& c);
  void choose_for_starts(Context& c);
  void remember_persistent(const Context& c);
  void check_message(Context& c);
  bool all_others_wait();
  void make_progress();

  template <class Change>
  void on_board(Change change);

  static std::atomic<Control*> instance_;  // a failure clears it while other threads look

  const Schedules schedules_;
  const std::size_t finding_;  // the one that this rank takes part in
  const Schedule& schedule_;   // its
  const bool of_memory_;       // some finding is
  bool of_buffers_ = false;    // a side is a call that has memory of its rank in use
  const WorldRank rank_;
  const int size_;
  const Definitions& known_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int thread_level_ = 0;
  Board* board_ = nullptr;
  std::atomic<std::uint64_t>* words_ = nullptr;  // one for each rank: odd while it waits for others
  Account* account_ = nullptr;
  // Where ranks do not share a node: then the board is this rank's own.
  std::mutex mail_mutex_;
  std::unique_ptr<Board> own_board_;
  std::unique_ptr<Mail> mail_;
  std::unique_ptr<Letters> letters_;

  std::mutex mutex_;                                         // of what follows
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  // sides by key
  std::vector<std::uint8_t> sides_of_site_;                  // 1 + sides; 0: not asked yet
  std::map<std::int64_t, std::vector<Peer>> windows_;
  std::vector<HeldLock> locks_;
  std::vector<Flight> flights_;
  std::map<RequestId, std::vector<Buffer>> prepared_;  // of persistent operations
  std::minstd_rand random_;
  double eagerness_ = 1;
  std::uint64_t arrivals_[2] = {};
  std::uint64_t timestamp_ = 1, arrival_timestamp_[2] = {};
  std::uint64_t awaited_request_ = 0;
  std::map<RequestId, Persistent> persistent_;
  std::uint64_t wildcards_ = 0;  // receives and probes from any source so far that took something
  std::uint64_t message_since_ = 0;  // that it waits for what the next of them is to get
  bool follows_ = true;              // the recorded matches, as far as they still come
  // What the others did when it was last looked, and since when nothing has changed.
  std::vector<std::uint64_t> seen_words_;
  std::uint64_t quiet_since_ = 0, checked_ = 0;
};

}  // namespace photofinish::mpi
