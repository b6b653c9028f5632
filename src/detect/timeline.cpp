#include "detect/timeline.h"

#include <algorithm>

#include "detect/timeline_state.h"
#include "memory/overlap.h"

namespace photofinish {
namespace {

bool is_vector_form(Call call) {
  switch (call) {
#define VECTOR_FORMS(name) \
  case Call::MPI_##name:   \
  case Call::MPI_##name##_c:
    VECTOR_FORMS(Allgatherv)
    VECTOR_FORMS(Alltoallv)
    VECTOR_FORMS(Alltoallw)
    VECTOR_FORMS(Reduce_scatter)
#undef VECTOR_FORMS
    return true;
    default:
      return false;
  }
}

// Calls that create a communicator of some of the parent's ranks, or without a parent. Only members
// of the new one take part.
bool is_among_new_members(Call call) {
  switch (call) {
    case Call::MPI_Comm_create_group:
    case Call::MPI_Comm_create_from_group:
    case Call::MPI_Intercomm_create:
    case Call::MPI_Intercomm_create_from_groups:
    case Call::MPI_Intercomm_merge:
    case Call::MPI_Comm_join:
    case Call::MPI_Comm_accept:
    case Call::MPI_Comm_connect:
    case Call::MPI_Comm_spawn:
    case Call::MPI_Comm_spawn_multiple:
      return true;
    default:
      return false;
  }
}

std::uint64_t hash_ranks(const std::vector<WorldRank>& ranks) {
  return XXH3_64bits(ranks.data(), ranks.size() * sizeof(WorldRank));
}

}  // namespace

Timeline::Timeline(WorldRank rank, std::int32_t world_size, const Definitions& definitions)
    : rank_(rank), world_size_(world_size), definitions_(definitions) {}

Timeline::~Timeline() = default;

void Timeline::add(const Event& event, const Times& times) {
  times_ = times;
  enter(event);
  scopes_.follow(event, definitions_);
  if (!event.returned) {  // its buffers stay in use
    for (Access& access : buffers_of(event, true)) unfinished_.push_back(std::move(access));
    if (sink_ != nullptr) report_unreturned(event);
    return;
  }
  const auto& [name, action, when] = traits(event.call);
  // A failed call has no effect, with two exceptions: some of several requests may be complete, and
  // a truncated message is matched.
  if (event.result != 0 && event.completions.empty() && !event.fields.has(Field::matched_from))
    return;
  switch (action) {
    case Action::Init:
      many_threads_ =
          event.fields.has(Field::thread_level) && event.fields[Field::thread_level] >= 3;
      return;
    case Action::Load:
    case Action::Store:
      for (Access& access : touched_by(event)) {
        if (tasks_ != nullptr && event.call == Call::release) note_given_back(access);
        if (event.call != Call::release || !event.fields.has(Field::flag))
          close_now(access, event.site);
      }
      return;
    case Action::ReduceLocal:
    case Action::Pack:
    case Action::Unpack:
      for (Access& access : buffers_of(event, false)) close_now(access, event.site);
      return;
    case Action::TaskRelease:
      if (tasks_ != nullptr)
        tasks_->release(task_, static_cast<std::uint64_t>(event.fields[Field::key]), start_,
                        event.fields.has(Field::flag) && event.fields[Field::flag] != 0);
      return;
    case Action::TaskAcquire:
      if (tasks_ != nullptr)
        tasks_->acquire(task_, static_cast<std::uint64_t>(event.fields[Field::key]));
      return;
    case Action::HappensBefore:
    case Action::HappensAfter:
      return annotated(event, action);
    case Action::Send:
    case Action::Receive:
    case Action::SendReceive:
    case Action::SendReceiveReplace:
    case Action::MatchedReceive:
    case Action::PartitionedSend:
    case Action::PartitionedReceive:
      return point_to_point(event, action, when);
    case Action::Start:
      return start_persistent(event);
    case Action::PartitionReady:
    case Action::PartitionArrived:
      return partition(event, action);
    case Action::Probe:
    case Action::MatchedProbe:
      return probe(event, action);
    case Action::Wait:
    case Action::WaitAny:
    case Action::WaitSome:
    case Action::WaitAll:
    case Action::RequestStatus:
    case Action::RequestFree:
      return completion(event, action);
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
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall:
    case Action::CommCreate:
    case Action::WinCreate:
      return collective(event, action, when);
    case Action::WinAttach:
    case Action::WinDetach:
    case Action::WinFree:
      return windows(event, action);
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
      return one_sided(event, action);
    case Action::Fence:
    case Action::Post:
    case Action::StartEpoch:
    case Action::Complete:
    case Action::WaitEpoch:
    case Action::Lock:
    case Action::LockAll:
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
      return synchronize(event, action);
    case Action::FileRead:
    case Action::FileWrite:
      if (when == When::Starts) {
        open_all(new_request(event), buffers_of(event, true));
        return;
      }
      for (Access& access : buffers_of(event, false)) close_now(access, event.site);
      return;
    case Action::FileSplitBegin:
      split_files_[event.fields[Field::file]] = buffers_of(event, true);
      return;
    case Action::FileSplitEnd:
      for (Access& access : split_files_[event.fields[Field::file]]) close_now(access, event.site);
      split_files_.erase(event.fields[Field::file]);
      return;
    default:
      return;
  }
}

// --- tasks

void Timeline::enter(const Event& event) {
  const bool ordered = event.fields.has(Field::order) && !one_sequence_;
  if (ordered && tasks_ == nullptr) {
    tasks_ = std::make_unique<TaskOrder>(sync_points_done_);
    // The accesses so far were made with one task. They are both Own and Shared.
    for (AccessList::Reader reader(more_closed_); const Access* access = reader.next();)
      if (access->owner != rank_ || access->reachable) settled_.push_back(*access);
    for (const Access& access : closed_)
      if (access.owner != rank_ || access.reachable) settled_.push_back(access);
    std::erase_if(closed_, [&](const Access& a) { return a.owner != rank_ || a.win != Uid(0); });
  }
  order_ = ordered ? event.fields[Field::order] : -1;
  task_ = 0;
  if (tasks_ != nullptr)
    task_ = std::min(event.fields.has(Field::line)
                         ? static_cast<std::uint32_t>(event.fields[Field::line])
                         : event.task.value,
                     kMaxTasks - 1);
  start_ = timestamp_of(task_, 2 * events_);
  return_ = start_ + 1;
  ++events_;
  phase_at_start_ = sync_points_done_;
  if (tasks_ == nullptr) return;
  // If another task's sync point completed after this call began, the call may be visible to other
  // ranks before that sync point.
  if (event.fields.has(Field::order_at_start))
    for (auto order = sync_point_orders_.rbegin();
         order != sync_point_orders_.rend() && *order >= event.fields[Field::order_at_start];
         ++order)
      --phase_at_start_;
  tasks_->enter(task_, start_, event.call == Call::task_acquire);
}

void Timeline::sync_point() {
  if (tasks_ != nullptr) {
    tasks_->sync(task_, start_, sync_points_done_);
    settle_waiting(next_sync_point());
  }
  ++sync_points_done_;
  if (tasks_ == nullptr || order_ < 0) return;
  constexpr std::size_t kRecent = 64;  // sync points that a call of another task may precede
  sync_point_orders_.push_back(order_);
  if (sync_point_orders_.size() > kRecent) sync_point_orders_.pop_front();
}

// Collective calls on one communicator or window: the program has to serialize them.
void Timeline::follow_last_collective(std::uint64_t key) {
  if (tasks_ == nullptr) return;
  tasks_->acquire(task_, key);
  tasks_->release(task_, key, return_ + 1, false);
}

Knowledge Timeline::send(SyncPoint phase) {
  if (tasks_ == nullptr) return nullptr;
  tasks_->send(task_, start_, phase);
  settle_waiting(phase + 1);
  return tasks_->known(task_);
}

void Timeline::acquired() {
  if (tasks_ != nullptr) tasks_->receive(task_, return_, sync_points_done_);
}

// From here on other ranks may know what this task knows. After the next sync point all do.
void Timeline::settle_waiting(SyncPoint before) {
  std::erase_if(waiting_, [&](Access& access) {
    if (!tasks_->knows(task_, access.end)) return false;
    access.before = before;
    settled_.push_back(std::move(access));
    return true;
  });
}

void Timeline::note_given_back(const Access& access) {
  constexpr std::size_t kMost = 1 << 16;
  for (std::size_t i = 0; i < access.footprint.size(); ++i)
    given_back_.push_back({access.footprint.bounds(i), half_of(access.begin)});
  while (given_back_.size() > kMost) given_back_.pop_front();
}

bool Timeline::was_given_back(const ByteRange& bytes, Timestamp after, Timestamp before) const {
  return std::any_of(given_back_.begin(), given_back_.end(), [&](const GivenBack& one) {
    return one.bytes.begin <= bytes.begin && bytes.end <= one.bytes.end &&
           half_of(after) <= one.half + 1 && one.half < half_of(before);
  });
}

// --- accesses

std::uint64_t Timeline::site_key(SiteId site) const {
  if (last_site_key_.first != site) {
    const auto [entry, fresh] = site_keys_.try_emplace(site, 0);
    if (fresh) entry->second = call_site_key(definitions_, site);
    last_site_key_ = *entry;
  }
  return scopes_.key_of(last_site_key_.second);
}

const Timeline::Type* Timeline::type(TypeId id) const {
  if (last_type_.second != nullptr && last_type_.first == id) return last_type_.second;
  auto known = types_.find(id);
  if (known == types_.end()) {
    const auto found = definitions_.types.find(id);
    if (found == definitions_.types.end()) return nullptr;
    known = types_
                .emplace(id, Type{.map = &found->second.map,
                                  .element = element_of(found->second.element),
                                  .footprint = nullptr})
                .first;
  }
  last_type_ = {id, &known->second};
  return last_type_.second;
}

void Timeline::set_bytes(Access& access, const Buffer& buffer, std::uint64_t base) const {
  if (buffer.count <= 0) return;
  const auto offset = static_cast<std::int64_t>(base);
  const Type* type = buffer.type != TypeId(0) ? this->type(buffer.type) : nullptr;
  if (type == nullptr) {
    access.footprint = Footprint(offset, buffer.count);
    return;
  }
  const DataMap& map = *type->map;
  if (map.contiguous()) {
    access.footprint =
        Footprint(offset + map.footprint[0].offset, map.footprint[0].length * buffer.count);
  } else if (buffer.count != 1) {
    access.footprint = Footprint(repeated(map, buffer.count).footprint);
    access.footprint.move_by(offset);
  } else {
    if (type->footprint == nullptr)
      const_cast<Type*>(type)->footprint =
          std::make_shared<const std::vector<Strided>>(map.footprint);
    access.footprint = Footprint(offset, type->footprint);
  }
}

Access Timeline::make(const Event& event, AccessKind kind, const Buffer& buffer,
                      bool pending) const {
  Access access;
  set(access, event, kind, buffer, pending);
  return access;
}

void Timeline::set(Access& access, const Event& event, AccessKind kind, const Buffer& buffer,
                   bool pending) const {
  access.rank = access.owner = rank_;
  access.kind = kind;
  access.pending = pending;
  access.call = event.call;
  access.site = event.site;
  access.site_key = site_key(event.site);
  access.begin = start_;
  access.known = known();
  access.after = last_sync_point();
  access.locks = held_set_;
  set_bytes(access, buffer, buffer.address);
  access.reachable = pending && exposed(access);
  if (kind == AccessKind::Store) last_write_ = start_;
}

std::vector<Access> Timeline::buffers_of(const Event& event, bool pending) const {
  std::vector<Access> accesses;
  if (!makes_accesses_ || (!pending && event.buffers.size() == 1 && alone())) return accesses;
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access > BufferUse::ReadWrite) continue;  // memory of another rank
    // Other tasks run during the call.
    add_access(accesses,
               make(event, buffer.access == BufferUse::Read ? AccessKind::Load : AccessKind::Store,
                    buffer, pending || tasks_ != nullptr));
  }
  return accesses;
}

// All that one site loads, or stores, in one event is one access, whatever the number of pieces.
// Usually the footprint is the same as the last time, and is reused.
std::vector<Access> Timeline::touched_by(const Event& event) {
  std::vector<Access> accesses;
  if (!makes_accesses_ || event.buffers.empty() || alone()) return accesses;
  Access all = make(
      event, event.buffers.front().access == BufferUse::Read ? AccessKind::Load : AccessKind::Store,
      event.buffers.front(), false);
  if (event.buffers.size() > 1) {
    std::vector<Strided> footprint;
    Access piece;
    for (const Buffer& buffer : event.buffers) {
      set_bytes(piece, buffer, buffer.address);
      for (std::size_t i = 0; i < piece.footprint.size(); ++i)
        footprint.push_back(piece.footprint[i]);
    }
    SharedFootprint& last = buffer_[event.site];
    if (last == nullptr || *last != footprint)
      last = std::make_shared<const std::vector<Strided>>(std::move(footprint));
    all.footprint = Footprint(0, last);
  }
  add_access(accesses, std::move(all));
  return accesses;
}

// Splits an access to own memory, or through shared windows to memory of others, by owner.
void Timeline::add_access(std::vector<Access>& accesses, Access access) const {
  if (segments_.empty()) {
    accesses.push_back(std::move(access));
    return;
  }
  std::map<Uid, std::map<WorldRank, std::vector<Strided>>> elsewhere;
  std::vector<Strided> own;
  for (std::size_t i = 0; i < access.footprint.size(); ++i) {
    const Strided strided = access.footprint[i];
    const auto touches = [&](const Segment& segment) {
      const Strided whole{static_cast<std::int64_t>(segment.position.address),
                          static_cast<std::int64_t>(segment.position.size),
                          {}};
      return overlap(strided, whole);
    };
    std::vector<const Segment*> touched;
    for (const auto& [address, segment] : segments_)
      if (touches(segment)) touched.push_back(&segment);
    if (touched.empty()) {
      own.push_back(strided);
      continue;
    }
    // Split at segment borders. Each block of a strided footprint is split separately, since blocks
    // may lie in different segments.
    DataMap map{.footprint = {strided}, .size = 0, .lower_bound = 0, .extent = 0};
    const std::vector<ByteRange> ranges =
        strided.dimensions.empty()
            ? std::vector<ByteRange>{{strided.offset, strided.offset + strided.length}}
            : expand(map);
    for (const ByteRange& range : ranges) {
      std::int64_t covered = range.begin;
      for (const Segment* segment : touched) {
        const auto first = static_cast<std::int64_t>(segment->position.address);
        const std::int64_t last = first + static_cast<std::int64_t>(segment->position.size);
        const std::int64_t begin = std::max(range.begin, first), end = std::min(range.end, last);
        if (begin >= end) continue;
        if (covered < begin) own.push_back({covered, begin - covered, {}});
        covered = end;
        if (segment->position.owner == rank_)
          own.push_back({begin, end - begin, {}});
        else
          elsewhere[segment->win][segment->position.owner].push_back(
              {begin - first, end - begin, {}});
      }
      if (covered < range.end) own.push_back({covered, range.end - covered, {}});
    }
  }
  for (auto& [win, owners] : elsewhere)
    for (auto& [owner, footprint] : owners) {
      Access other = access;
      other.owner = owner;
      other.win = win;
      other.footprint = Footprint(std::move(footprint));
      accesses.push_back(std::move(other));
    }
  access.footprint = Footprint(std::move(own));
  if (!access.footprint.empty()) accesses.push_back(std::move(access));
}

void Timeline::close(Access& access, Timestamp timestamp, SyncPoint before, SiteId site) {
  access.end = timestamp;
  access.before = before;
  access.closed = site;
  if (access.kind == AccessKind::Store) last_write_ = start_;
  access.reachable = access.reachable || access.win != Uid(0) || exposed(access);
  if (access.locks != held_set_) access.locks = still_held(access.locks);
  if (access.footprint.empty()) return;
  if (tasks_ != nullptr) {
    const bool own = access.owner == rank_ && access.win == Uid(0);
    if (access.serial == 0) access.serial = ++serials_;
    if (access.owner != rank_ || access.reachable) {
      access.before = kNoSyncPoint;
      (timestamp == kNever ? settled_ : waiting_).push_back(access);
    }
    if (!own) return;
  }
  closed_.push_back(std::move(access));
  constexpr std::size_t kMost = 8192;  // more than usually wait to be taken
  if (closed_.size() < kMost) return;
  for (const Access& one : closed_) more_closed_.add(one);
  closed_.clear();
}

void Timeline::held_changed() {
  held_set_ = held_.empty() ? nullptr : std::make_shared<const std::vector<Lock>>(held_);
}

// The locks that the rank has not released since.
LockSet Timeline::still_held(const LockSet& locks) {
  if (locks == nullptr || locks == held_set_) return locks;
  if (locks == trimmed_.all && held_set_ == trimmed_.held) return trimmed_.left;
  std::vector<Lock> left;
  for (const Lock& lock : *locks)
    if (std::find(held_.begin(), held_.end(), lock) != held_.end()) left.push_back(lock);
  trimmed_ = {locks, held_set_, nullptr};
  if (left.size() == locks->size())
    trimmed_.left = locks;
  else if (!left.empty())
    trimmed_.left = std::make_shared<const std::vector<Lock>>(std::move(left));
  return trimmed_.left;
}

void Timeline::take_open(Open which, const std::function<void(const Access&)>& visit) {
  each_open([&](Access& access) {
    if (access.footprint.empty()) return;
    access.reachable = access.reachable || access.win != Uid(0) || exposed(access);
    const bool own = access.owner == rank_ && access.win == Uid(0);
    if (which == Open::Own ? !own : access.owner == rank_ && !access.reachable) return;
    if (access.serial == 0) access.serial = ++serials_;
    Access copy = access;
    copy.locks = still_held(access.locks);
    visit(copy);
    if (which == Open::Shared) access.plain_atomic = false;
  });
  // Complete, but no other rank can know it yet.
  if (which == Open::Shared)
    for (const Access& access : waiting_) visit(access);
}

bool Timeline::exposed(const Access& access) const {
  for (const Exposed& memory : exposed_)
    for (std::size_t i = 0; i < access.footprint.size(); ++i) {
      const ByteRange range = access.footprint.bounds(i);
      if (static_cast<std::uint64_t>(range.begin) < memory.end &&
          static_cast<std::uint64_t>(range.end) > memory.begin)
        return true;
    }
  return false;
}

// The common case: a buffer that a one-sided operation has read, and that was not written
// meanwhile.
bool Timeline::meets_nothing(const Access& access) const {
  return access.kind == AccessKind::Load && access.serial == 0 && !access.reachable &&
         last_write_ < access.begin && pending_writes_ == 0 && requests_.empty() &&
         unfinished_.empty() && split_files_.empty() && segments_.empty() && !many_threads_ &&
         tasks_ == nullptr && !exposed(access);
}

std::size_t Timeline::open_requests() const { return requests_.size(); }

std::size_t Timeline::request_bytes() const {
  return requests_.size() * (sizeof(Request) + sizeof(Posted) + 80);
}

// --- order

// Depends on the call, not on what it created for this rank, so that all ranks decide alike.
void Timeline::watch_for_windows(const Event& event, Action action, const Comm& comm,
                                 bool is_sync_point) {
  const bool copies =
      event.call == Call::MPI_Comm_dup || event.call == Call::MPI_Comm_dup_with_info;
  if (is_sync_point && (action == Action::WinCreate || !copies)) {
    awaits_window_ = false;
    keeps_edges_ = true;
  } else if (action == Action::WinCreate && comm.size > 1) {
    lacks_edges_ = true;
  }
}

std::vector<PhaseEdges> Timeline::take_edges(bool last) {
  if (!last) guess_unsettled();
  edge_count_ = 0;
  first_phase_ = sync_points_done_;  // the rest of this phase is taken next time
  return std::exchange(edges_, {});
}

// An edge may be computed late, after its phase. If the phase has been taken already, no rank needs
// the edge: all are past a sync point.
void Timeline::add_edge(SyncPoint phase, const Edge& edge) {
  if (phase < first_phase_ || !keeps_edges_) return;
  auto at = edges_.end();
  while (at != edges_.begin() && std::prev(at)->phase > phase) --at;
  if (at == edges_.begin() || std::prev(at)->phase != phase)
    at = std::next(edges_.insert(at, PhaseEdges{phase, rank_, {}}));
  std::prev(at)->edges.push_back(edge);
  ++edge_count_;
}

void Timeline::release(std::uint64_t key, Timestamp timestamp, std::uint64_t position) {
  const Knowledge known = send(phase_at_start_);
  add_edge(phase_at_start_, {timestamp, key, false, position, false, known});
}

void Timeline::acquire(std::uint64_t key, Timestamp timestamp, std::uint64_t position) {
  acquired();
  add_edge(sync_points_done_, {timestamp, key, true, position});
}

// Marked as guessed, since annotations may form cycles.
void Timeline::annotated(const Event& event, Action action) {
  const std::uint64_t key =
      edge_key(Channel::Annotated, event.fields[Field::key], event.fields[Field::value]);
  const bool acquires = action == Action::HappensAfter;
  if (acquires) acquired();
  const Knowledge known = acquires ? nullptr : send(phase_at_start_);
  add_edge(
      acquires ? sync_points_done_ : phase_at_start_,
      {acquires ? return_ : start_, key, acquires, acquires ? kEveryPosition : 0, true, known});
}

Timeline::Comm& Timeline::comm(CommId id) {
  if (last_comm_.second != nullptr && last_comm_.first == id) return *last_comm_.second;
  std::unique_ptr<Comm>& comm = comms_[id];
  if (comm != nullptr) {
    last_comm_ = {id, comm.get()};
    return *comm;
  }
  comm = std::make_unique<Comm>();
  const auto found = definitions_.comms.find(id);
  if (found == definitions_.comms.end()) return *comm;
  const CommDefinition& definition = found->second;
  comm->uid = definition.uid;
  comm->is_world = id == CommId(1);
  comm->inter = definition.remote_group != GroupId(0);
  if (const auto group = definitions_.groups.find(definition.group);
      group != definitions_.groups.end()) {
    const std::vector<WorldRank>& ranks = group->second.ranks;
    comm->ranks = &ranks;
    comm->has_external_ranks = std::find(ranks.begin(), ranks.end(), kExternalRank) != ranks.end();
    comm->size = static_cast<std::int32_t>(ranks.size());
    comm->whole_world = !comm->inter && comm->size == world_size_ && !comm->has_external_ranks;
    comm->position =
        static_cast<std::uint64_t>(std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin());
    comm->own_side = hash_ranks(ranks);
  }
  if (const auto remote = definitions_.groups.find(definition.remote_group);
      remote != definitions_.groups.end()) {
    comm->remote_ranks = &remote->second.ranks;
    comm->has_external_ranks |= std::find(remote->second.ranks.begin(), remote->second.ranks.end(),
                                          kExternalRank) != remote->second.ranks.end();
    comm->other_side = hash_ranks(remote->second.ranks);
  }
  return *comm;
}

Timeline::Flow Timeline::flow_of(const Event& event, Action action, Comm& comm) {
  Flow flow;
  bool reads = false, writes = false;
  for (const Buffer& buffer : event.buffers) {
    if (buffer.count <= 0) continue;
    if (const auto type = definitions_.types.find(buffer.type);
        type != definitions_.types.end() && type->second.map.size == 0)
      continue;
    reads |= buffer.access != BufferUse::Write;
    writes |= buffer.access != BufferUse::Read;
  }
  std::uint64_t number = flow.number = ++comm.collectives;
  std::uint64_t uid = comm.uid.value;
  switch (action) {
    case Action::CommCreate:
      if (is_among_new_members(event.call)) {
        --comm.collectives;
        const CommId made(static_cast<std::uint32_t>(event.fields[Field::new_comm]));
        flow.number = 0;
        if (!event.fields.has(Field::new_comm) || made == CommId(0)) return flow;
        uid = this->comm(made).uid.value;
        number = 0;
        flow.reads = flow.writes = flow.among_new_members = true;
        flow.releases = flow.acquires = {{edge_key(Channel::Collective, uid, number), 0}};
        flow.acquires[0].second = kEveryPosition;
        return flow;
      }
      reads = writes = flow.everyone = true;
      break;
    case Action::Barrier:
    case Action::WinCreate:
      reads = writes = flow.everyone = true;
      break;
    case Action::Allreduce:
    case Action::Allgather:
    case Action::Alltoall:
    case Action::ReduceScatter:
      flow.everyone = (reads || writes) && !is_vector_form(event.call);
      break;
    case Action::NeighborAllgather:
    case Action::NeighborAlltoall: {
      const auto found =
          definitions_.comms.find(CommId(static_cast<std::uint32_t>(event.fields[Field::comm])));
      if (found == definitions_.comms.end()) return flow;
      flow.reads = reads;
      flow.writes = writes;
      const auto key = [&](WorldRank from, WorldRank to) {
        return edge_key(Channel::Neighbor, uid, number, static_cast<std::uint32_t>(from.value),
                        static_cast<std::uint32_t>(to.value));
      };
      if (reads)
        for (const WorldRank to : found->second.destinations)
          flow.releases.emplace_back(key(rank_, to), 0);
      if (writes)
        for (const WorldRank from : found->second.sources)
          flow.acquires.emplace_back(key(from, rank_), kEveryPosition);
      return flow;
    }
    default:
      break;
  }
  flow.reads = reads;
  flow.writes = writes;
  const bool prefix = action == Action::Scan || action == Action::Exscan;
  const std::uint64_t release_side = comm.inter ? comm.own_side : 0;
  const std::uint64_t acquire_side = comm.inter ? comm.other_side : 0;
  if (comm.inter) flow.everyone = false;
  if (reads)
    flow.releases.emplace_back(edge_key(Channel::Collective, uid, number, release_side),
                               prefix ? comm.position : 0);
  if (writes)
    flow.acquires.emplace_back(edge_key(Channel::Collective, uid, number, acquire_side),
                               prefix ? comm.position : kEveryPosition);
  return flow;
}

void Timeline::collective(const Event& event, Action action, When when) {
  Comm& comm = this->comm(CommId(
      static_cast<std::uint32_t>(event.fields.has(Field::comm) ? event.fields[Field::comm] : 0)));
  follow_last_collective(edge_key(Channel::Serial, comm.uid.value));
  if (action == Action::WinCreate && event.fields.has(Field::new_win)) window_of(event);
  if (when == When::Prepares) {
    Request& request = new_request(event);
    request.comm = &comm;
    request.rarely().prepared = std::make_unique<Event>(event);
    request.rarely().number = ++comm.persistent;
    return;
  }
  const Flow flow = flow_of(event, action, comm);
  std::vector<Acquired> acquired;
  if (sink_ != nullptr) acquired = report_flow(event, action, when, comm, flow);
  if (when == When::Starts) {
    for (const auto& [key, position] : flow.releases) release(key, start_, position);
    if (!event.fields.has(Field::request)) return;
    Request& request = new_request(event);
    open_all(request, buffers_of(event, true));
    request.rarely().acquires = flow.acquires;
    request.rarely().acquired = std::move(acquired);
    return;
  }
  // From the start of the call: before the sync point, if it is one.
  std::vector<Access> accesses = buffers_of(event, false);
  const bool is_sync_point = flow.everyone && comm.whole_world && (!many_threads_ || comm.is_world);
  if (awaits_window_ && (action == Action::CommCreate || action == Action::WinCreate))
    watch_for_windows(event, action, comm, is_sync_point);
  if (is_sync_point) {
    sync_point();
  } else {
    for (const auto& [key, position] : flow.releases) release(key, start_, position);
    for (const auto& [key, position] : flow.acquires) acquire(key, return_, position);
  }
  for (Access& access : accesses) close_now(access, event.site);
}

}  // namespace photofinish
