// One-sided operations and their epochs: when each accesses its buffers and its target.
#include <algorithm>

#include "detect/timeline_state.h"

namespace photofinish {
namespace {

WorldRank target_of(const Event& event) {
  return WorldRank(static_cast<std::int32_t>(event.fields[Field::target]));
}

AccessKind kind_of(Action action) {
  switch (action) {
    case Action::Put:
      return AccessKind::Put;
    case Action::Get:
      return AccessKind::Get;
    default:
      return AccessKind::Accumulate;
  }
}

bool fetches(Action action) { return action != Action::Put && action != Action::Accumulate; }

}  // namespace

Timeline::Window& Timeline::window_of(const Event& event) {
  const Field field = event.fields.has(Field::new_win) ? Field::new_win : Field::win;
  const WinId id(static_cast<std::uint32_t>(event.fields[field]));
  if (last_window_.second != nullptr && last_window_.first == id) return *last_window_.second;
  std::unique_ptr<Window>& window = windows_[id];
  last_window_ = {id, window.get()};
  if (window != nullptr) return *window;
  window = std::make_unique<Window>();
  window->id = id;
  window->comm = &comm(CommId(0));
  if (const auto found = definitions_.wins.find(id); found != definitions_.wins.end()) {
    window->uid = found->second.uid;
    window->comm = &comm(found->second.comm);
    window_ids_[window->uid] = id;
    if (found->second.size > 0)
      exposed_.push_back(
          {window->uid, found->second.base, found->second.base + found->second.size});
    each_open([&](Access& access) { access.reachable = access.reachable || exposed(access); });
    for (const WinSegment& segment : found->second.segments)
      segments_[segment.address] = {segment, window->uid};
  }
  return *window;
}

const WinDefinition* Timeline::window(Uid uid) const {
  const auto id = window_ids_.find(uid);
  if (id == window_ids_.end()) return nullptr;
  const auto found = definitions_.wins.find(id->second);
  return found != definitions_.wins.end() ? &found->second : nullptr;
}

Epoch Timeline::epoch_of(const Window& window, WorldRank target, SiteId& opened) const {
  for (const WorldRank held : {target, kAnySource})
    if (const auto lock = window.locks.find(held); lock != window.locks.end()) {
      opened = lock->second.site;
      return {EpochKind::Lock, 0};
    }
  if (std::find(window.started.begin(), window.started.end(), target) != window.started.end()) {
    opened = window.started_site;
    return {EpochKind::Start, window.starts.at(target)};
  }
  opened = window.fence_site;
  if (window.fences.count() == 0) return {};
  return {EpochKind::Fence, window.fences.count()};
}

ReduceOp Timeline::op_of(const Event& event, Action action) {
  if (action == Action::CompareAndSwap) return ReduceOp::CompareAndSwap;
  if (!event.fields.has(Field::op)) return ReduceOp::None;
  const OpId id(static_cast<std::uint32_t>(event.fields[Field::op]));
  if (last_op_.second != ReduceOp::None && last_op_.first == id) return last_op_.second;
  auto known = ops_.find(id);
  if (known == ops_.end()) {
    const auto found = definitions_.ops.find(id);
    if (found == definitions_.ops.end()) return ReduceOp::None;
    known = ops_.emplace(id, reduce_op_of(found->second.name)).first;
  }
  last_op_ = *known;
  return known->second;
}

void Timeline::one_sided(const Event& event, Action action) {
  const WorldRank target = target_of(event);
  if (target.value < 0) return;
  Window& window = window_of(event);
  std::vector<Pending>& pending = window.operations[target].pending;
  const std::uint64_t operation = ++operations_;
  const bool fetches = photofinish::fetches(action);
  SiteId opened;
  const Epoch epoch = epoch_of(window, target, opened);
  const auto add = [&](AccessKind kind) -> Pending& {
    Pending& added = pending.emplace_back();
    added.operation = operation;
    added.fetches = fetches;
    if (kind == AccessKind::Store) ++pending_writes_;
    return added;
  };
  const Buffer* at_target = nullptr;
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access > BufferUse::ReadWrite) {
      at_target = &buffer;
      continue;
    }
    const AccessKind kind = buffer.access == BufferUse::Read ? AccessKind::Load : AccessKind::Store;
    if (segments_.empty()) {
      Access& access = add(kind).access;
      set(access, event, kind, buffer, true);
      access.opened = opened;
      continue;
    }
    std::vector<Access> parts;
    add_access(parts, make(event, kind, buffer, true));
    for (Access& part : parts) {
      part.opened = opened;
      add(kind).access = std::move(part);
    }
  }
  if (at_target != nullptr) {
    Buffer relative = *at_target;
    relative.address = 0;
    Pending& added = add(kind_of(action));
    added.at_target = true;
    Access& access = added.access;
    set(access, event, kind_of(action), relative, true);
    access.opened = opened;
    access.owner = target;
    access.win = window.uid;
    access.displacement = at_target->address;
    access.epoch = epoch;
    access.op = op_of(event, action);
    if (access.kind == AccessKind::Accumulate)
      if (const Type* type = this->type(at_target->type)) access.element = type->element;
    if (event.fields.has(Field::atomic)) {
      if (event.fields.has(Field::operand))
        access.operand = static_cast<std::uint64_t>(event.fields[Field::operand]);
      if (event.fields.has(Field::compare))
        added.compare = static_cast<std::uint64_t>(event.fields[Field::compare]);
      access.start = times_.start;
      access.plain_atomic = !fetches && at_target->count == 1;
      added.elements = std::clamp<std::int64_t>(at_target->count, 1, kMaxAtomicElements);
      added.more_operands = event.numbers;
      if (!access.plain_atomic) added.atomic = event.fields[Field::atomic];
    }
  }
  if (event.fields.has(Field::request)) {
    Request::Rare& request = new_request(event).rarely();
    request.operation = operation;
    request.window = &window;
    request.target = target;
  }
}

// Adds one atomic per element.
void Timeline::result_of(const Pending& pending, const Event& event) {
  const Access& access = pending.access;
  std::size_t result = 0;  // of the first element; the others follow
  while (result + 1 < event.numbers.size() && event.numbers[result] != pending.atomic) result += 2;
  for (std::int64_t i = 0; i < pending.elements; ++i, result += 2) {
    const auto behind_first = static_cast<std::size_t>(i) - 1;
    AtomicOp& atomic = atomics_.emplace_back();
    atomic.rank = rank_;
    atomic.owner = access.owner;
    atomic.win = access.win;
    atomic.displacement = access.displacement;
    atomic.offset = static_cast<std::uint64_t>(i) * access.element.size;
    atomic.op = access.op;
    atomic.element = access.element;
    atomic.fetches = pending.fetches;
    atomic.operand = access.operand;
    if (i > 0 && behind_first < pending.more_operands.size())
      atomic.operand = static_cast<std::uint64_t>(pending.more_operands[behind_first]);
    atomic.compare = pending.compare;
    if (pending.fetches && result + 1 < event.numbers.size() &&
        event.numbers[result] == pending.atomic + i) {
      atomic.has_result = true;
      atomic.result = static_cast<std::uint64_t>(event.numbers[result + 1]);
    }
    atomic.start = access.start;
    atomic.done = times_.end;
    atomic.begin = access.begin;
    atomic.after = access.after;
    if (!pending.fetches) continue;
    atomic.known = return_;
    atomic.known_after = last_sync_point();
  }
}

// The operation completes locally and, if `remotely`, at the target. An operation with a result
// completes at both.
bool Timeline::finish(Pending& pending, bool remotely, Timestamp timestamp, SyncPoint before,
                      const Event& event) {
  if (pending.over) return true;
  if (pending.at_target && !remotely && !pending.fetches) return false;
  if (pending.atomic != 0) {
    result_of(pending, event);
    pending.access.operand = pending.access.start = 0;  // no longer needed
  }
  if (pending.access.kind == AccessKind::Store)
    --pending_writes_;
  else if (!pending.at_target && meets_nothing(pending.access))
    return pending.over = true;
  if (pending.access.plain_atomic) pending.access.done = times_.end;
  close(pending.access, timestamp, before, event.site);
  return pending.over = true;
}

std::uint64_t Timeline::flush_key(const Window& window, WorldRank target) const {
  return edge_key(Channel::Flush, window.uid.value, static_cast<std::uint32_t>(rank_.value),
                  static_cast<std::uint32_t>(target.value));
}

// An operation counts as complete at the first flush that may complete it. If another task made
// that flush, the operation is complete after this call, too: this call comes after that flush.
void Timeline::after_other_flush(const Window& window, WorldRank target) {
  const auto found = window.operations.find(target);
  if (found != window.operations.end() && found->second.by_other_task)
    tasks_->acquire(task_, flush_key(window, target));
}

void Timeline::finish(Window& window, WorldRank target, bool remotely, Timestamp timestamp,
                      SyncPoint before, const Event& event) {
  const auto found = window.operations.find(target);
  if (found == window.operations.end()) return;
  const Action action = traits(event.call).action;
  Window::Operations& operations = found->second;
  bool by_other_task = false;
  std::erase_if(operations.pending, [&](Pending& pending) {
    // A flush does not complete what another task started meanwhile, unless that may be known by
    // way of other ranks. A fence ends the epoch for all tasks.
    const bool knows =
        tasks_ == nullptr || action == Action::Fence || tasks_->knows(task_, pending.access.begin);
    if (!knows && (tasks_->reported(pending.access.begin) == kNoSyncPoint ||
                   !tasks_->acquired_between(pending.access.begin, start_)))
      return false;
    const bool over = finish(pending, remotely, timestamp, before, event);
    by_other_task =
        by_other_task || (over && tasks_ != nullptr && task_of(pending.access.begin) != task_);
    return over;
  });
  operations.over = 0;
  after_other_flush(window, target);
  if (!by_other_task) return;
  tasks_->release(task_, flush_key(window, target), return_ + 1, false);
  operations.by_other_task = true;
}

void Timeline::finish_all(Window& window, bool remotely, Timestamp timestamp, SyncPoint before,
                          const Event& event) {
  for (auto& [target, operations] : window.operations)
    finish(window, target, remotely, timestamp, before, event);
}

void Timeline::finish_request(const Request& finished, const Event& event) {
  const Request::Rare& request = *finished.rare;
  Window::Operations& operations = request.window->operations[request.target];
  after_other_flush(*request.window, request.target);
  auto at =
      std::lower_bound(operations.pending.begin(), operations.pending.end(), request.operation,
                       [](const Pending& pending, std::uint64_t operation) {
                         return pending.operation < operation;
                       });
  for (; at != operations.pending.end() && at->operation == request.operation; ++at)
    if (!at->over && finish(*at, false, return_, next_sync_point(), event)) ++operations.over;
  // Not one by one: a program may complete thousands, the oldest first.
  if (2 * operations.over < operations.pending.size()) return;
  std::erase_if(operations.pending, [](const Pending& pending) { return pending.over; });
  operations.over = 0;
}

void Timeline::synchronize(const Event& event, Action action) {
  Window& window = window_of(event);
  const std::int64_t assertion =
      event.fields.has(Field::assertion) ? event.fields[Field::assertion] : 0;
  const SyncPoint next_sync_point = this->next_sync_point();
  const auto group = [&]() -> const std::vector<WorldRank>& {
    static const std::vector<WorldRank> none;
    const auto found =
        definitions_.groups.find(GroupId(static_cast<std::uint32_t>(event.fields[Field::group])));
    return found != definitions_.groups.end() ? found->second.ranks : none;
  };
  const auto rank_bits = [](WorldRank rank) { return static_cast<std::uint32_t>(rank.value); };
  switch (action) {
    case Action::Fence: {
      follow_last_collective(edge_key(Channel::Serial, window.uid.value));
      const bool orders = (assertion & kNoPrecede) == 0;
      if (orders) {
        finish_all(window, true, start_, next_sync_point, event);
        for (auto at = window.fences.known.rbegin();
             at != window.fences.known.rend() && at->end.timestamp == kNever; ++at)
          at->end = {rank_, start_, next_sync_point};
      }
      if (orders && sink_ != nullptr)
        report_exchange(*window.comm,
                        edge_key(Channel::Collective, window.uid.value, window.fences.count()),
                        event.site);
      if (orders && window.comm->whole_world && !many_threads_) {
        sync_point();
      } else if (orders) {
        const std::uint64_t key =
            edge_key(Channel::Collective, window.uid.value, window.fences.count());
        release(key, start_);
        acquire(key, return_);
      }
      window.fences.known.push_back({{rank_, orders ? return_ : start_, last_sync_point(), known()},
                                     {rank_, kNever, kNoSyncPoint}});
      window.fence_site = event.site;
      return;
    }
    case Action::Post:
      window.posted = group();
      for (const WorldRank origin : window.posted) {
        Window::Exposures& exposed = window.exposed[origin];
        exposed.known.push_back(
            {{rank_, start_, last_sync_point(), known()}, {rank_, kNever, kNoSyncPoint}});
        const std::uint64_t key = edge_key(Channel::Post, window.uid.value, rank_bits(rank_),
                                           rank_bits(origin), exposed.count());
        release(key, start_);
        if (sink_ != nullptr) report_release(key, 1, true, event.site);
      }
      return;
    case Action::StartEpoch:
      window.started = group();
      window.started_site = event.site;
      for (const WorldRank target : window.started) {
        const std::uint64_t key = edge_key(Channel::Post, window.uid.value, rank_bits(target),
                                           rank_bits(rank_), ++window.starts[target]);
        acquire(key, return_);
        // MPI_Win_complete waits for the post; MPI_Win_start need not.
        if (sink_ != nullptr) window.start_keys.push_back(key);
      }
      return;
    case Action::Complete:
      for (std::size_t i = 0; i < window.start_keys.size(); ++i)
        report_acquire({window.start_keys[i], one(window.started[i])}, event.site);
      window.start_keys.clear();
      for (const WorldRank target : window.started) {
        const auto found = window.operations.find(target);
        if (found != window.operations.end()) {
          for (Pending& pending : found->second.pending) {
            if (finish(pending, false, return_, next_sync_point, event)) continue;
            // The target completes it: only the owner knows when.
            pending.access.locks = nullptr;  // they may be released earlier
            close(pending.access, kNever, kNoSyncPoint, event.site);
          }
          found->second.pending.clear();
          found->second.over = 0;
        }
        const std::uint64_t key = edge_key(Channel::Complete, window.uid.value, rank_bits(rank_),
                                           rank_bits(target), window.starts[target]);
        release(key, start_);
        if (sink_ != nullptr) report_release(key, 1, true, event.site);
      }
      window.started.clear();
      return;
    case Action::WaitEpoch:
      if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) return;
      for (const WorldRank origin : window.posted) {
        Window::Exposures& exposed = window.exposed[origin];
        if (!exposed.known.empty()) exposed.known.back().end = {rank_, return_, next_sync_point};
        const std::uint64_t key = edge_key(Channel::Complete, window.uid.value, rank_bits(origin),
                                           rank_bits(rank_), exposed.count());
        acquire(key, return_);
        if (sink_ != nullptr) report_acquire({key, one(origin)}, event.site);
      }
      window.posted.clear();
      return;
    case Action::Lock:
    case Action::LockAll: {
      const WorldRank target = action == Action::Lock ? target_of(event) : kAnySource;
      if (action == Action::Lock && target.value < 0) return;
      const bool exclusive = action == Action::Lock && event.fields[Field::lock] == kExclusiveLock;
      const bool checked = (assertion & kNoCheck) == 0;
      window.locks[target] = {exclusive, checked, event.site};
      if (!checked) return;
      held_.push_back({window.uid, target, exclusive, start_});
      held_changed();
      // Other locks may be acquired only when they are used.
      if (sink_ != nullptr && target == rank_) report_locked(window, target, event.site);
      return;
    }
    case Action::Unlock:
    case Action::UnlockAll: {
      const WorldRank target = action == Action::Unlock ? target_of(event) : kAnySource;
      if (sink_ != nullptr)
        if (const auto held = window.locks.find(target);
            held != window.locks.end() && held->second.checked) {
          report_lock(MessageStep::Kind::Unlock, window, target, held->second.exclusive,
                      times_.start, event.site);
          report_locked(window, target, event.site);
        }
      if (action == Action::Unlock)
        finish(window, target, true, return_, next_sync_point, event);
      else
        finish_all(window, true, return_, next_sync_point, event);
      window.locks.erase(target);
      std::erase_if(
          held_, [&](const Lock& lock) { return lock.win == window.uid && lock.target == target; });
      held_changed();
      return;
    }
    case Action::Flush:
    case Action::FlushLocal:
      if (sink_ != nullptr) report_locked(window, target_of(event), event.site);
      return finish(window, target_of(event), action == Action::Flush, return_, next_sync_point,
                    event);
    case Action::FlushAll:
    case Action::FlushLocalAll:
      if (sink_ != nullptr) report_locked(window, kAnySource, event.site);
      return finish_all(window, action == Action::FlushAll, return_, next_sync_point, event);
    default:
      return;
  }
}

void Timeline::windows(const Event& event, Action action) {
  Window& window = window_of(event);
  if (action != Action::WinFree) {
    const auto begin = static_cast<std::uint64_t>(event.fields[Field::address]);
    if (action == Action::WinAttach) {
      exposed_.push_back(
          {window.uid, begin, begin + static_cast<std::uint64_t>(event.fields[Field::size])});
      each_open([&](Access& access) { access.reachable = access.reachable || exposed(access); });
    } else
      std::erase_if(exposed_, [&](const Exposed& memory) {
        return memory.win == window.uid && memory.begin == begin;
      });
    return;
  }
  std::erase_if(exposed_, [&](const Exposed& memory) { return memory.win == window.uid; });
  std::erase_if(segments_, [&](const auto& entry) { return entry.second.win == window.uid; });
  if (sink_ != nullptr)
    report_exchange(*window.comm,
                    edge_key(Channel::Collective, window.uid.value, ~std::uint64_t{0}), event.site);
  if (window.comm->whole_world && !many_threads_) {
    sync_point();
    return;
  }
  const std::uint64_t key = edge_key(Channel::Collective, window.uid.value, ~std::uint64_t{0});
  release(key, start_);
  acquire(key, return_);
}

std::optional<Timeline::Exposure> Timeline::exposure_of(const Access& access) const {
  const auto id = window_ids_.find(access.win);
  if (id == window_ids_.end()) return std::nullopt;
  const Window& window = *windows_.at(id->second);
  const Exposure* exposure = nullptr;
  if (access.epoch.kind == EpochKind::Fence) exposure = window.fences.find(access.epoch.index);
  if (access.epoch.kind == EpochKind::Start)
    if (const auto found = window.exposed.find(access.rank); found != window.exposed.end())
      exposure = found->second.find(access.epoch.index);
  return exposure != nullptr ? std::optional(*exposure) : std::nullopt;
}

bool Timeline::awaits_exposure(const Access& access) const {
  if (access.epoch.kind != EpochKind::Fence && access.epoch.kind != EpochKind::Start) return false;
  const auto id = window_ids_.find(access.win);
  if (id == window_ids_.end()) return false;
  const Window& window = *windows_.at(id->second);
  if (access.epoch.kind == EpochKind::Fence) return access.epoch.index > window.fences.count();
  const auto found = window.exposed.find(access.rank);
  return access.epoch.index > (found != window.exposed.end() ? found->second.count() : 0);
}

void Timeline::forget_exposures() {
  for (auto& [id, window] : windows_) {
    window->fences.forget();
    for (auto& [origin, exposures] : window->exposed) exposures.forget();
  }
}

}  // namespace photofinish
