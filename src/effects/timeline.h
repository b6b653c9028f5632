// Collects the effects of one rank as accesses, edges and sync points, without knowledge of other
// ranks.
//
// Events are entered in the order of their start; the front end's Meaning reports the effects of
// each. A complete access is returned as closed. A pending one is returned as open, with a serial
// number, and as closed with the same serial once it ends. Events of several tasks are entered in
// the order of Field::order; without it, they are one sequence. Invariant: `held_` are the locks
// that the rank holds now. A closed access lists those held from begin to end.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "effects/access_list.h"
#include "effects/effects.h"
#include "effects/message_sink.h"
#include "effects/open_accesses.h"
#include "effects/region.h"
#include "effects/segments.h"
#include "model/access.h"
#include "model/atomic.h"
#include "model/definitions.h"
#include "model/event.h"
#include "model/scopes.h"
#include "order/edge.h"
#include "order/task_order.h"

namespace photofinish {

class Meaning;

class Timeline {
 public:
  Timeline(WorldRank rank, std::int32_t world_size, const Definitions& definitions);
  ~Timeline();

  // --- settings: call before the first event
  // Reports message steps to `sink`. Besides::Nothing: no accesses and no edges.
  enum class Besides { Nothing, All };
  void report_messages(MessageSink* sink, Besides besides) {
    sink_ = sink;
    wants_messages_ = sink != nullptr;
    makes_accesses_ = besides == Besides::All;
    one_sequence_ |= !makes_accesses_;
    keeps_edges_ &= makes_accesses_;
  }
  // Edges matter only to ranks that access memory of others, so they are recorded from the first
  // possible region on. All ranks must decide this alike: at a sync point that creates a region, or
  // a group of ranks that may create one.
  void keep_edges_from_first_region() { keeps_edges_ = false, awaits_region_ = true; }
  // Ignores the order of tasks; only sync points matter.
  void take_as_one_sequence() { one_sequence_ = true; }
  void attach(Meaning* meaning) { meaning_ = meaning; }

  // --- the current event
  void enter(const Event& event, const Times& times);
  // Processes an event of the program itself: loads, stores, annotations and thread
  // synchronization. False if it is none.
  bool program(const Event& event);
  // A call that did not return: its buffers stay in use.
  void unreturned(const Event& event);
  WorldRank rank() const { return rank_; }
  std::int32_t world_size() const { return world_size_; }
  const Definitions& definitions() const { return definitions_; }
  const Times& times() const { return times_; }
  Timestamp at(At at) const { return at == At::Start ? start_ : return_; }
  Timestamp start() const { return start_; }
  Timestamp return_time() const { return return_; }
  SyncPoint phase_at_start() const { return phase_at_start_; }
  SyncPoint sync_points_done() const { return sync_points_done_; }
  SyncPoint next_sync_point() const { return sync_points_done_ + 1; }
  // Identifies the site on every rank, in the scopes of the event.
  std::uint64_t site_key(SiteId site) const;

  // --- effects: accesses
  // The accesses of a call to its own buffers, with their begin.
  std::vector<Access> buffers_of(const Event& event, bool pending) const;
  Access make(const Event& event, AccessKind kind, const Buffer& buffer, bool pending) const;
  void set(Access& fresh, const Event& event, AccessKind kind, const Buffer& buffer,
           bool pending) const;
  // The pending form of an access, for a front end that stores it.
  OpenAccess opened(Access access);
  void open_all(OpenAccesses& open, std::vector<Access> accesses);
  void close_all(OpenAccesses& open, SiteId site);
  void close_now(Access& access, SiteId site) { close(access, return_, next_sync_point(), site); }
  void close_at(At at, Access& access, SiteId site) {
    close(access, this->at(at), next_sync_point(), site);
  }
  void close_now(std::vector<Access> accesses, SiteId site) {
    for (Access& access : accesses) close_now(access, site);
  }

  // --- effects: operations on a region, by target
  struct Begin {
    AccessKind kind{};
    bool fetches = false;
    SiteId opened;  // the call that opened the epoch
    Delivery delivery = {};
  };
  std::uint64_t next_operation() { return ++operations_; }
  void begin_buffer(Region& region, WorldRank target, std::uint64_t operation, const Begin& begin,
                    const Event& event, const Buffer& buffer);
  // The caller fills in what only it knows: epoch, operation of an accumulate, operands.
  Pending& begin_target(Region& region, WorldRank target, std::uint64_t operation,
                        const Begin& begin, const Event& event, const Buffer& buffer);
  void complete(Region& region, WorldRank target, const Completing& how);
  void complete_all(Region& region, const Completing& how);
  void complete_operation(Region& region, WorldRank target, std::uint64_t operation,
                          const Completing& how);
  // Completes those that are delivered before `later`, which is complete.
  void complete_delivered(Region& region, WorldRank target, const Delivery& later,
                          const Completing& how);
  // Completes them locally. The owner decides when they complete at the target.
  void leave_to_owner(Region& region, WorldRank target, const Completing& how);

  // --- effects: values at a location that are no operations on a region
  struct Location {
    Uid region;
    WorldRank owner;
    std::uint64_t displacement = 0;
    std::uint8_t bytes = 8;
  };
  // The call returned because it read this value.
  void observe(const Location& location, std::uint64_t value);
  // The call writes this value, from its start on.
  void announce(const Location& location, std::uint64_t value);

  // --- effects: regions
  Region& add_region(const RegionTraits& traits);
  void expose(Uid region, std::uint64_t begin, std::uint64_t end);
  void unexpose(Uid region);
  void unexpose(Uid region, std::uint64_t begin);
  // Memory of another rank that this one accesses by loads and stores.
  void add_segment(Uid region, const WinSegment& segment) {
    segments_.add(region, segment);
    splits_.clear();
  }
  Exposure exposure_from(At at) const {
    return {{rank_, this->at(at), last_sync_point(), known()}, {rank_, kNever, kNoSyncPoint}};
  }
  Instant instant(At at) const { return {rank_, this->at(at), next_sync_point()}; }
  // All ranks may create regions from here on. A region exists that was not announced so.
  bool awaits_region() const { return awaits_region_; }
  void announce_region() { awaits_region_ = false, keeps_edges_ = true; }
  void region_unannounced() { lacks_edges_ = true; }

  // --- effects: locks
  void acquire_lock(Uid region, WorldRank target, bool exclusive);
  void release_lock(Uid region, WorldRank target);

  // --- effects: order
  void release(std::uint64_t key, std::uint64_t position = 0);
  void acquire(std::uint64_t key, std::uint64_t position = kEveryPosition);
  void sync_point();
  // The same for edges that are known late. The task releases to other ranks in this phase, or has
  // acquired from one now.
  Knowledge note_release(SyncPoint phase);
  void note_acquire();
  void add_edge(SyncPoint phase, const Edge& edge);
  bool keeps_edges() const { return keeps_edges_; }
  // The same between tasks of this rank, by keys that other ranks do not know. Released: what the
  // task did until this call, including its start or its return.
  void task_release(std::uint64_t key, At at);
  void task_acquire(std::uint64_t key);
  void forget_task_release(std::uint64_t key);  // no task will acquire it
  // This call comes after the last one with the key, because the program has to serialize them.
  void serialize_tasks(std::uint64_t key);
  // Several threads may communicate at the same time.
  void set_many_threads(bool many) { many_threads_ = many; }
  bool many_threads() const { return many_threads_; }

  // --- effects: memory of the rank, whose next owner may be another task
  void give_back(const ByteRange& bytes);

  // --- effects: messages
  MessageSink* sink() const { return sink_; }
  MessageStep message_step(MessageStep::Kind kind, SiteId site) const;  // of the current event
  bool wants_messages() const { return wants_messages_; }
  void report_no_sites() { wants_sites_ = false; }
  void report_no_messages() { wants_messages_ = false; }  // they are no longer needed

  // --- for the detector
  // A region exists that was not announced to all ranks in time: edges may be missing.
  bool lacks_edges() const { return lacks_edges_; }
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
  std::size_t pending_edges() const { return edge_count_; }
  std::size_t edge_bytes() const { return edge_count_ * sizeof(Edge); }
  // No rank has a region: edges are not needed.
  void report_no_edges() {
    keeps_edges_ = awaits_region_ = false;
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

  // As owner of a region: its properties, and the begins and ends of this rank's exposures.
  const RegionTraits* region(Uid uid) const;
  std::optional<Exposure> exposure_of(const Access& access) const;
  // The access lies in an epoch that this rank has not reached.
  bool awaits_exposure(const Access& access) const;
  // Drops epochs that no later access can refer to.
  void forget_exposures();

 private:
  // --- accesses
  void set_bytes(Access& access, const Buffer& buffer, std::uint64_t base) const;
  LockSet still_held(const LockSet& locks);
  void held_changed();
  void close(Access& access, Timestamp timestamp, SyncPoint before, SiteId site);
  std::vector<Access> touched_by(const Event& event);
  template <class Visit>
  void each_open(Visit visit);  // all pending accesses
  void mark_reachable();
  // No operation is pending, so a call's own buffers conflict with nothing.
  bool alone() const;
  bool exposed(const Access& access) const;  // whether others can reach some of these bytes now
  bool meets_nothing(const Access& access) const;
  void add_access(std::vector<Access>& accesses, Access access) const;

  // --- operations
  Pending& begin(Region& region, WorldRank target, std::uint64_t operation, const Begin& begin);
  bool finish(Pending& pending, const Completing& how);
  void result_of(const Pending& pending, const Completing& how);
  AtomicOp& add_value(const Location& location, std::uint64_t value);
  std::uint64_t flush_key(const Region& region, WorldRank target) const;
  void after_other_flush(const Region& region, WorldRank target);

  // --- order and tasks
  void annotated(const Event& event);
  SyncPoint last_sync_point() const {
    return tasks_ != nullptr ? tasks_->sync_point_of(task_) : sync_points_done_;
  }
  Knowledge known() const { return tasks_ != nullptr ? tasks_->known(task_) : nullptr; }
  void begin_tasks();
  void settle_waiting(SyncPoint before);

  const WorldRank rank_;
  const std::int32_t world_size_;
  const Definitions& definitions_;
  Meaning* meaning_ = nullptr;

  std::uint64_t events_ = 0;
  std::uint32_t task_ = 0;                      // of the current event
  std::unique_ptr<TaskOrder> tasks_;            // null while all events are one sequence
  std::deque<std::int64_t> sync_point_orders_;  // Field::order of the last sync points
  bool one_sequence_ = false;
  std::int64_t order_ = -1;           // of the current event; -1: none
  SyncPoint phase_at_start_ = 0;      // of the current event
  Timestamp start_ = 0, return_ = 1;  // of the current event
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
  Segments segments_;
  // The last access of a site that lay in memory of several ranks, by owner.
  struct Split {
    SharedFootprint whole;
    std::int64_t shift = 0;
    struct Part {
      Uid region;
      WorldRank owner;
      Footprint footprint;
    };
    std::vector<Part> parts;
  };
  Split split_by_owner(const Footprint& footprint) const;
  mutable std::unordered_map<SiteId, Split> splits_;
  struct Exposed {
    Uid win;
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Exposed> exposed_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::unordered_map<Uid, Region*> region_by_uid_;

  // Common parts of the open accesses of a site.
  std::array<std::shared_ptr<const Access>, 16> like_;
  std::vector<Access> unfinished_;  // buffers of calls in which the rank ended
  mutable std::unordered_map<SiteId, std::uint64_t> site_keys_;
  mutable std::pair<SiteId, std::uint64_t> last_site_key_{SiteId(~0u), 0};
  // The last footprint of a site with many pieces.
  std::unordered_map<SiteId, SharedFootprint> buffer_;
  // Cached, since a type is used thousands of times.
  struct Type {
    const DataMap* map = nullptr;
    SharedFootprint footprint;
  };
  const Type* type(TypeId id) const;
  mutable std::unordered_map<TypeId, Type> types_;
  mutable std::pair<TypeId, const Type*> last_type_{};
  std::uint64_t operations_ = 0;
  // When an access that writes the rank's own memory last began or ended.
  mutable Timestamp last_write_ = 0;
  std::size_t pending_writes_ = 0;  // by operations on regions
  MessageSink* sink_ = nullptr;
  bool wants_sites_ = true;
  bool wants_messages_ = false;  // if false, the sink may still receive steps
  bool makes_accesses_ = true;
  bool keeps_edges_ = true, awaits_region_ = false, lacks_edges_ = false;
};

}  // namespace photofinish
