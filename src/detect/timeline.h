// Converts the events of one rank to accesses, edges and sync points, without knowledge of other
// ranks.
//
// Events are added in the order of their start. A complete access is returned as closed. A pending
// one is returned as open, with a serial number, and as closed with the same serial once it ends.
// Events of several tasks are added in the order of Field::order; without it, they are one
// sequence. Invariant: `held_` are the locks that the rank holds now. A closed access lists those
// held from begin to end.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "detect/access_list.h"
#include "detect/task_order.h"
#include "model/access.h"
#include "model/atomic.h"
#include "model/definitions.h"
#include "model/event.h"
#include "model/message.h"
#include "model/scopes.h"
#include "order/edge.h"

namespace photofinish {

// A timestamp with its sync point: for an end, the first one that starts after it; for a begin, the
// last one done.
struct Instant {
  WorldRank rank;
  Timestamp timestamp = kNever;
  SyncPoint sync_point = kNoSyncPoint;
  Knowledge known = nullptr;  // for a begin
};

// Receives the message steps of a rank. The message that a receive took may be reported later.
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  virtual void step(MessageStep step) = 0;
  virtual void took(std::uint64_t operation, MessageKey key) = 0;

 protected:
  // Processes a blocking call as post and completion. False if the step is not one.
  bool take_halves(const MessageStep& whole);
};

class Timeline {
 public:
  Timeline(WorldRank rank, std::int32_t world_size, const Definitions& definitions);
  ~Timeline();

  // Start and end of an event, in ticks of the rank's clock.
  struct Times {
    std::uint64_t start = 0, end = ~std::uint64_t{0};
  };
  void add(const Event& event, const Times& times);
  // Call before the first event. Reports message steps to `sink`. Besides::Nothing: no accesses and
  // no edges.
  enum class Besides { Nothing, All };
  void report_messages(MessageSink* sink, Besides besides) {
    sink_ = sink;
    wants_messages_ = sink != nullptr;
    makes_accesses_ = besides == Besides::All;
    one_sequence_ |= !makes_accesses_;
    keeps_edges_ &= makes_accesses_;
  }
  // Call before the first event. Edges matter only to ranks that access memory of others, so they
  // are recorded from the first possible window on. All ranks must decide this alike: at a sync
  // point that creates a window, or a communicator of some ranks, which may have one.
  void keep_edges_from_first_window() { keeps_edges_ = false, awaits_window_ = true; }
  // A window exists that was not announced to all ranks in time: edges may be missing.
  bool lacks_edges() const { return lacks_edges_; }

  // Call before the first event. Ignores the order of tasks; only sync points matter.
  void take_as_one_sequence() { one_sequence_ = true; }

  // Message steps are no longer needed.
  void report_no_messages() { wants_messages_ = false; }
  // No further events: completes receives without a wait, which took their messages, too.
  void end_messages();

  // Identifies the site on every rank, in the scopes of the event being added.
  std::uint64_t site_key(SiteId site) const;

  SyncPoint sync_points_done() const { return sync_points_done_; }
  bool has_tasks() const { return tasks_ != nullptr; }  // and their order is known
  // Whether a task freed the memory between two timestamps, as observed. The accesses before and
  // after then belong to different objects.
  bool was_given_back(const ByteRange& bytes, Timestamp after, Timestamp before) const;
  // Of the rank's own accesses: by which sync point all may know that it is over, and whether order
  // between two timestamps may go through other ranks.
  SyncPoint reported(Timestamp end) const { return tasks_->reported(end); }
  bool acquired_between(Timestamp after, Timestamp before) const {
    return keeps_edges_ && tasks_->acquired_between(after, before);
  }
  // Whether all tasks know the closed access, so that no later access can race with it.
  bool is_known_to_all(const Access& access) const {
    return tasks_ == nullptr || tasks_->is_known_to_all(access.end);
  }
  std::size_t pending() const {
    return closed_.size() + more_closed_.size() + settled_.size() + atomics_.size();
  }
  std::size_t pending_bytes() const {
    return closed_.size() * sizeof(Access) + more_closed_.memory_bytes();
  }
  std::size_t open_requests() const;  // outstanding
  std::size_t request_bytes() const;  // approximate memory use
  std::size_t pending_edges() const { return edge_count_; }
  std::size_t edge_bytes() const { return edge_count_ * sizeof(Edge); }
  // No rank has a window: edges are not needed.
  void report_no_edges() {
    keeps_edges_ = awaits_window_ = false;
    edges_ = {};
    edge_count_ = 0;
  }

  // The purpose of a closed access: checks of the rank's own memory, checks of memory that others
  // can reach, or both.
  enum class Use { All, Own, Shared };
  template <class Visit>
  void take_closed(Visit visit) {
    const Use use = tasks_ != nullptr ? Use::Own : Use::All;
    for (AccessList::Reader reader(more_closed_); const Access* access = reader.next();)
      visit(*access, use);
    more_closed_ = {};
    for (const Access& access : closed_) visit(access, use);
    closed_.clear();
    for (const Access& access : settled_) visit(access, Use::Shared);
    settled_.clear();
  }
  // Own: the rank's own memory, by address. Shared: memory that others can reach, or that belongs
  // to them.
  enum class Open { Own, Shared };
  void take_open(Open which, const std::function<void(const Access&)>& visit);
  std::vector<PhaseEdges> take_edges(bool last);  // last: no further events
  std::vector<AtomicOp> take_atomics() { return std::exchange(atomics_, {}); }

  // As owner of a window: its definition, and the begins and ends of this rank's exposure epochs.
  const WinDefinition* window(Uid uid) const;
  struct Exposure {
    Instant begin, end;  // end.timestamp kNever: still open
  };
  std::optional<Exposure> exposure_of(const Access& access) const;
  // The access lies in an epoch that this rank has not reached.
  bool awaits_exposure(const Access& access) const;
  // Drops epochs that no later access can refer to.
  void forget_exposures();

 private:
  struct Comm;
  struct Window;
  struct Pending;
  struct Request;
  struct Posted;
  class Unsettled;
  struct OpenAccess;
  class OpenAccesses;
  struct Flow;
  struct Acquired;

  // --- accesses
  Access make(const Event& event, AccessKind kind, const Buffer& buffer, bool pending) const;
  void set(Access& fresh, const Event& event, AccessKind kind, const Buffer& buffer,
           bool pending) const;
  void set_bytes(Access& access, const Buffer& buffer, std::uint64_t base) const;
  LockSet still_held(const LockSet& locks);
  void held_changed();
  void close(Access& access, Timestamp timestamp, SyncPoint before, SiteId site);
  void close_now(Access& access, SiteId site) { close(access, return_, next_sync_point(), site); }
  std::vector<Access> buffers_of(const Event& event, bool pending) const;
  OpenAccess opened(Access access);
  void open_all(Request& request, std::vector<Access> accesses);
  void close_all(Request& request, SiteId site);
  void acquire_all(Request& request);
  std::vector<Access> touched_by(const Event& event);
  template <class Visit>
  void each_open(Visit visit);  // all pending accesses
  // No operation is pending, so a call's own buffers conflict with nothing.
  bool alone() const {
    return requests_.empty() && windows_.empty() && unfinished_.empty() && split_files_.empty() &&
           !many_threads_ && tasks_ == nullptr;
  }
  bool exposed(const Access& access) const;  // whether others can reach some of these bytes now
  bool meets_nothing(const Access& access) const;
  void add_access(std::vector<Access>& accesses, Access access) const;

  // --- calls, by family
  void point_to_point(const Event& event, Action action, When when);
  void probe(const Event& event, Action action);
  void withdraw_send(Request& request, SiteId site);
  void collective(const Event& event, Action action, When when);
  void release_part(Request& request, std::uint64_t message, std::int64_t partitions,
                    std::int64_t index);
  void acquire_part(std::uint64_t message, std::int64_t partitions, std::int64_t index);
  void completion(const Event& event, Action action);
  void complete_those(const Event& event, Action action);
  bool asks(const Event& event);
  void start_persistent(const Event& event);
  void partition(const Event& event, Action action);
  void one_sided(const Event& event, Action action);
  void synchronize(const Event& event, Action action);
  void windows(const Event& event, Action action);

  // --- messages
  std::uint64_t send(const Event& event, Comm& comm, Request* request);
  bool receive_at_once(const Event& event, Comm& comm);
  std::shared_ptr<Posted> post_receive(const Event& event, Comm& comm, WorldRank from,
                                       std::int64_t tag);
  void received(Comm& comm, const std::shared_ptr<Posted>& posted, WorldRank from, std::int64_t tag,
                SiteId site);
  void settle(Comm& comm, const Wanted& wanted);
  void arrived(Comm& comm, const Posted& posted);
  void report_sender(Comm& comm, Posted& posted);
  void guess_unsettled();
  void withdraw(Comm& comm, const std::shared_ptr<Posted>& posted, SiteId site);

  // --- steps for the sink
  MessageStep step(MessageStep::Kind kind, SiteId site) const;
  std::uint64_t report_send(const Event& event, const Comm& comm, WorldRank to, MessageKey key,
                            bool at_once);
  void report_received(const Event& event, const Comm& comm, MessageKey key);
  std::uint64_t report_receive(const Comm& comm, WorldRank from, std::int64_t tag, SiteId site);
  void report(MessageStep::Kind kind, std::uint64_t operation, SiteId site);
  void report_complete(Posted& posted, SiteId site);
  void report_over(Request& request, SiteId site);
  void report_taken(const Comm& comm, const Posted& posted);
  static std::shared_ptr<const std::vector<WorldRank>> one(WorldRank rank);
  void report_probe(const Event& event, Action action, const Comm& comm, Posted& posted);
  void report_unreturned(const Event& event);
  void report_waits(const Request& request, SiteId site);
  void report_unreturned_synchronization(const Event& event, Action action);
  void report_await_lock(const Window& window, WorldRank target, bool exclusive, bool certain,
                         SiteId site);
  void report_exchange(const Comm& comm, std::uint64_t key, SiteId site);
  void report_release(std::uint64_t key, std::size_t others, bool carries, SiteId site);
  void report_acquire(const Acquired& acquired, SiteId site);
  void report_lock(MessageStep::Kind kind, const Window& window, WorldRank target, bool exclusive,
                   std::uint64_t ticks, SiteId site);
  void report_locked(Window& window, WorldRank target,
                     SiteId site);  // kAnySource: all locks that it holds
  void report_prefix(const std::vector<WorldRank>& ranks, std::uint64_t position,
                     const std::function<std::uint64_t(std::uint64_t)>& key, const Flow& flow,
                     std::vector<Acquired>& acquires, SiteId site);
  std::vector<Acquired> report_flow(const Event& event, Action action, When when, Comm& comm,
                                    const Flow& flow);

  // --- requests
  Request& new_request(const Event& event);
  void follow_last_collective(std::uint64_t key);
  void started_request(RequestId id);
  void completed_request(RequestId id);
  void complete(Request& request, const Completion* completion, const Event& event);

  // --- one-sided
  Window& window_of(const Event& event);
  void finish(Window& window, WorldRank target, bool remotely, Timestamp timestamp,
              SyncPoint before, const Event& event);
  void finish_all(Window& window, bool remotely, Timestamp timestamp, SyncPoint before,
                  const Event& event);
  bool finish(Pending& pending, bool remotely, Timestamp timestamp, SyncPoint before,
              const Event& event);
  void finish_request(const Request& request, const Event& event);
  std::uint64_t flush_key(const Window& window, WorldRank target) const;
  void after_other_flush(const Window& window, WorldRank target);
  void result_of(const Pending& pending, const Event& event);
  ReduceOp op_of(const Event& event, Action action);
  Epoch epoch_of(const Window& window, WorldRank target, SiteId& opened) const;

  // --- order
  void annotated(const Event& event, Action action);
  Comm& comm(CommId id);
  Flow flow_of(const Event& event, Action action, Comm& comm);
  void add_edge(SyncPoint phase, const Edge& edge);
  void watch_for_windows(const Event& event, Action action, const Comm& comm, bool is_sync_point);
  void release(std::uint64_t key, Timestamp timestamp, std::uint64_t position = 0);
  void acquire(std::uint64_t key, Timestamp timestamp, std::uint64_t position = kEveryPosition);
  void sync_point();
  SyncPoint next_sync_point() const { return sync_points_done_ + 1; }

  // --- tasks
  void enter(const Event& event);
  SyncPoint last_sync_point() const {
    return tasks_ != nullptr ? tasks_->sync_point_of(task_) : sync_points_done_;
  }
  Knowledge known() const { return tasks_ != nullptr ? tasks_->known(task_) : nullptr; }
  Knowledge send(SyncPoint phase);  // the task releases to other ranks
  void acquired();                  // the task acquired from another rank
  void settle_waiting(SyncPoint before);
  void note_given_back(const Access& access);

  const WorldRank rank_;
  const std::int32_t world_size_;
  const Definitions& definitions_;

  std::uint64_t events_ = 0;
  std::uint32_t task_ = 0;                      // of the event being added
  std::unique_ptr<TaskOrder> tasks_;            // null while all events are one sequence
  std::deque<std::int64_t> sync_point_orders_;  // Field::order of the last sync points
  bool one_sequence_ = false;
  std::int64_t order_ = -1;           // of the event being added; -1: none
  SyncPoint phase_at_start_ = 0;      // of the event being added
  Timestamp start_ = 0, return_ = 1;  // of the event being added
  Times times_;
  // Blocking collectives: each is done before the next event starts.
  SyncPoint sync_points_done_ = 0;
  bool many_threads_ = false;
  Scopes scopes_;
  std::uint64_t serials_ = 0;

  std::vector<Access> closed_;
  AccessList more_closed_;  // older than closed_; one call may complete very many
  // With tasks, for memory that others can reach: accesses without a known later sync point, and
  // accesses with one.
  std::vector<Access> waiting_, settled_;
  struct GivenBack {
    ByteRange bytes;
    std::uint64_t half;
  };
  std::deque<GivenBack> given_back_;  // the most recent ones
  std::vector<AtomicOp> atomics_;
  std::vector<PhaseEdges> edges_;  // by phase
  std::size_t edge_count_ = 0;
  SyncPoint first_phase_ = 0;  // earlier phases have been taken
  std::vector<Lock> held_;
  LockSet held_set_;  // the same
  struct Trimmed {
    LockSet all, held, left;
  };
  Trimmed trimmed_;  // cache: the last set from which locks had been released
  // Memory of others that this rank accesses by loads and stores, by its local address.
  struct Segment {
    WinSegment position;
    Uid win;
  };
  std::map<std::uint64_t, Segment> segments_;
  struct Exposed {
    Uid win;
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Exposed> exposed_;

  std::unordered_map<CommId, std::unique_ptr<Comm>> comms_;
  std::pair<CommId, Comm*> last_comm_;  // cache of comm()
  std::unordered_map<WinId, std::unique_ptr<Window>> windows_;
  std::pair<WinId, Window*> last_window_{};
  std::unordered_map<Uid, WinId> window_ids_;
  std::unordered_map<RequestId, Request> requests_;
  // Common parts of the open accesses of a site.
  std::array<std::shared_ptr<const Access>, 16> like_;
  std::unordered_map<MessageId, std::uint64_t> probed_;  // message keys of matched probes
  std::unordered_map<std::int64_t, std::vector<Access>> split_files_;
  std::vector<Access> unfinished_;  // buffers of calls in which the rank ended
  mutable std::unordered_map<SiteId, std::uint64_t> site_keys_;
  mutable std::pair<SiteId, std::uint64_t> last_site_key_{SiteId(~0u), 0};
  // The last footprint of a site with many pieces.
  std::unordered_map<SiteId, SharedFootprint> buffer_;
  // Cached, since a type is used thousands of times.
  struct Type {
    const DataMap* map = nullptr;
    Element element;
    SharedFootprint footprint;
  };
  const Type* type(TypeId id) const;
  mutable std::unordered_map<TypeId, Type> types_;
  mutable std::pair<TypeId, const Type*> last_type_{};
  std::unordered_map<OpId, ReduceOp> ops_;
  std::pair<OpId, ReduceOp> last_op_{};
  std::uint64_t operations_ = 0;
  // When an access that writes the rank's own memory last began or ended.
  mutable Timestamp last_write_ = 0;
  std::size_t pending_writes_ = 0;  // by one-sided operations
  MessageSink* sink_ = nullptr;
  bool wants_messages_ = false;  // if false, the sink may still receive steps
  bool makes_accesses_ = true;
  bool keeps_edges_ = true, awaits_window_ = false, lacks_edges_ = false;
  std::uint64_t steps_ = 0;  // numbers the sends and receives for the sink
  bool asked_ = false;       // the event's call would have returned anyway
  bool unreturned_ = false;  // the event's call did not return
};

}  // namespace photofinish
