#include "frontend/mpi/meaning/one_sided.h"

#include <algorithm>

#include "frontend/mpi/meaning/memory_models.h"
#include "frontend/mpi/table/elements.h"

namespace photofinish::mpi_meaning {
namespace {

std::uint32_t bits(WorldRank rank) { return static_cast<std::uint32_t>(rank.value); }

std::int64_t assertion_of(const Event& event) {
  return event.fields.has(Field::assertion) ? event.fields[Field::assertion] : 0;
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

// The key of MPI_Win_free, the last collective of a window.
std::uint64_t free_key(const Window& window) {
  return edge_key(Channel::Collective, window.uid.value, ~std::uint64_t{0});
}

}  // namespace

void OneSided::add(const Event& event, Action action) {
  switch (action) {
    case Action::WinAttach:
    case Action::WinDetach:
      return attach(event, action);
    case Action::WinInfo:
      return change_info(event);
    case Action::WinFree:
      return free(event);
    case Action::Put:
    case Action::Get:
    case Action::Accumulate:
    case Action::GetAccumulate:
    case Action::FetchAndOp:
    case Action::CompareAndSwap:
      return operation(event, action);
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
    default:
      return;
  }
}

Window& OneSided::window_of(const Event& event) {
  const Field field = event.fields.has(Field::new_win) ? Field::new_win : Field::win;
  const WinId id(static_cast<std::uint32_t>(event.fields[field]));
  if (last_window_.second != nullptr && last_window_.first == id) return *last_window_.second;
  std::unique_ptr<Window>& window = windows_[id];
  last_window_ = {id, window.get()};
  if (window != nullptr) return *window;
  window = std::make_unique<Window>();
  window->id = id;
  window->comm = &comms_.at(CommId(0));
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  const auto found = wins.find(id);
  if (found == wins.end()) {
    window->region = &effects_.add_region({});
    return *window;
  }
  const WinDefinition& definition = found->second;
  window->uid = definition.uid;
  window->comm = &comms_.at(definition.comm);
  window->region = &effects_.add_region(region_of(definition));
  if (definition.size > 0)
    effects_.expose(window->uid, definition.base, definition.base + definition.size);
  for (const WinSegment& segment : definition.segments) effects_.add_segment(window->uid, segment);
  return *window;
}

void OneSided::change_info(const Event& event) {
  Window& window = window_of(event);
  const std::unordered_map<WinId, WinDefinition>& wins = effects_.definitions().wins;
  if (const auto found = wins.find(window.id); found != wins.end())
    window.region->change(region_of(found->second));
}

Epoch OneSided::epoch_of(const Window& window, WorldRank target, SiteId& opened) const {
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
  if (window.region->to_all.count() == 0) return {};
  return {EpochKind::Fence, window.region->to_all.count()};
}

ReduceOp OneSided::op_of(const Event& event, Action action) {
  if (action == Action::CompareAndSwap) return ReduceOp::CompareAndSwap;
  if (!event.fields.has(Field::op)) return ReduceOp::None;
  const OpId id(static_cast<std::uint32_t>(event.fields[Field::op]));
  if (last_op_.second != ReduceOp::None && last_op_.first == id) return last_op_.second;
  auto known = ops_.find(id);
  if (known == ops_.end()) {
    const auto found = effects_.definitions().ops.find(id);
    if (found == effects_.definitions().ops.end()) return ReduceOp::None;
    known = ops_.emplace(id, reduce_op_of(found->second.name)).first;
  }
  last_op_ = *known;
  return known->second;
}

Element OneSided::element_of(TypeId id) {
  if (last_element_.second.kind != ElementKind::None && last_element_.first == id)
    return last_element_.second;
  auto known = elements_.find(id);
  if (known == elements_.end()) {
    const std::unordered_map<TypeId, TypeDefinition>& types = effects_.definitions().types;
    const auto found = types.find(id);
    if (found == types.end()) return {};
    known = elements_.emplace(id, photofinish::element_of(found->second.element)).first;
  }
  last_element_ = *known;
  return known->second;
}

void OneSided::operation(const Event& event, Action action) {
  const WorldRank target = event.fields.rank(Field::target);
  if (target.value < 0) return;
  Window& window = window_of(event);
  const std::uint64_t operation = effects_.next_operation();
  Timeline::Begin begin{.fetches = fetches(action)};
  const Epoch epoch = epoch_of(window, target, begin.opened);
  const Buffer* at_target = nullptr;
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access > BufferUse::ReadWrite) {
      at_target = &buffer;
      continue;
    }
    begin.kind = buffer.access == BufferUse::Read ? AccessKind::Load : AccessKind::Store;
    effects_.begin_buffer(*window.region, target, operation, begin, event, buffer);
  }
  if (at_target != nullptr) {
    begin.kind = kind_of(action);
    Pending& added =
        effects_.begin_target(*window.region, target, operation, begin, event, *at_target);
    added.access.epoch = epoch;
    set_target(added, event, action, *at_target);
  }
  if (event.fields.has(Field::request)) {
    Request::Rare& request = new_request(effects_, requests_, event).rarely();
    request.operation = operation;
    request.window = &window;
    request.target = target;
  }
}

void OneSided::set_target(Pending& added, const Event& event, Action action,
                          const Buffer& at_target) {
  Access& access = added.access;
  access.op = op_of(event, action);
  if (access.kind == AccessKind::Accumulate) access.element = element_of(at_target.type);
  if (!event.fields.has(Field::atomic)) return;
  if (event.fields.has(Field::operand))
    access.operand = static_cast<std::uint64_t>(event.fields[Field::operand]);
  if (event.fields.has(Field::compare))
    added.compare = static_cast<std::uint64_t>(event.fields[Field::compare]);
  access.start = effects_.times().start;
  access.plain_atomic = !added.fetches && at_target.count == 1;
  added.elements = std::clamp<std::int64_t>(at_target.count, 1, kMaxAtomicElements);
  added.more_operands = event.numbers;
  if (!access.plain_atomic) added.atomic = event.fields[Field::atomic];
}

void OneSided::complete(const Request& finished, const Event& event) {
  const Request::Rare& request = *finished.rare;
  effects_.complete_operation(
      *request.window->region, request.target, request.operation,
      {.completeness = Completeness::Local, .site = event.site, .results = event.numbers});
}

void OneSided::finish(Window& window, const Event& event) {
  const std::optional<CompletionRule> rule = completion_of(event);
  if (!rule) return;
  const Completing how{.completeness = rule->completeness,
                       .at = rule->at,
                       .of_all_tasks = rule->of_all_tasks,
                       .site = event.site,
                       .results = event.numbers};
  switch (rule->targets) {
    case CompletionRule::Targets::One:
      return effects_.complete(*window.region, event.fields.rank(Field::target), how);
    case CompletionRule::Targets::All:
      return effects_.complete_all(*window.region, how);
    case CompletionRule::Targets::Started:
      for (const WorldRank target : window.started)
        effects_.leave_to_owner(*window.region, target, how);
      return;
  }
}

// --- synchronization

void OneSided::synchronize(const Event& event, Action action) {
  Window& window = window_of(event);
  switch (action) {
    case Action::Fence:
      return fence(window, event);
    case Action::Post:
      return post(window, event);
    case Action::StartEpoch:
      return start(window, event);
    case Action::Complete:
      return complete(window, event);
    case Action::WaitEpoch:
      return wait(window, event);
    case Action::Lock:
    case Action::LockAll:
      return lock(window, event, action);
    case Action::Unlock:
    case Action::UnlockAll:
      return unlock(window, event, action);
    default:
      return flush(window, event);
  }
}

const std::vector<WorldRank>& OneSided::group_of(const Event& event) const {
  static const std::vector<WorldRank> none;
  const std::unordered_map<GroupId, GroupDefinition>& groups = effects_.definitions().groups;
  const auto found = groups.find(GroupId(static_cast<std::uint32_t>(event.fields[Field::group])));
  return found != groups.end() ? found->second.ranks : none;
}

std::uint64_t OneSided::fence_key(const Window& window) const {
  return edge_key(Channel::Collective, window.uid.value, window.region->to_all.count());
}
std::uint64_t OneSided::post_key(const Window& window, WorldRank owner, WorldRank origin,
                                 std::uint64_t index) const {
  return edge_key(Channel::Post, window.uid.value, bits(owner), bits(origin), index);
}
std::uint64_t OneSided::complete_key(const Window& window, WorldRank origin, WorldRank owner,
                                     std::uint64_t index) const {
  return edge_key(Channel::Complete, window.uid.value, bits(origin), bits(owner), index);
}

void OneSided::fence(Window& window, const Event& event) {
  effects_.serialize_tasks(edge_key(Channel::Serial, window.uid.value));
  std::deque<Exposure>& epochs = window.region->to_all.known;
  const bool orders = completion_of(event).has_value();
  if (orders) {
    finish(window, event);
    for (auto at = epochs.rbegin(); at != epochs.rend() && at->end.timestamp == kNever; ++at)
      at->end = effects_.instant(At::Start);
    if (steps_.wanted()) steps_.exchange(*window.comm, fence_key(window), event.site);
    if (window.comm->whole_world && !effects_.many_threads()) {
      effects_.sync_point();
    } else {
      effects_.release(fence_key(window));
      effects_.acquire(fence_key(window));
    }
  }
  epochs.push_back(effects_.exposure_from(orders ? At::Return : At::Start));
  window.fence_site = event.site;
}

void OneSided::post(Window& window, const Event& event) {
  window.posted = group_of(event);
  for (const WorldRank origin : window.posted) {
    Region::Exposures& exposed = window.region->to_origin[origin];
    exposed.known.push_back(effects_.exposure_from(At::Start));
    const std::uint64_t key = post_key(window, rank_, origin, exposed.count());
    effects_.release(key);
    if (steps_.wanted()) steps_.release(key, 1, true, event.site);
  }
}

void OneSided::start(Window& window, const Event& event) {
  window.started = group_of(event);
  window.started_site = event.site;
  for (const WorldRank target : window.started) {
    const std::uint64_t key = post_key(window, target, rank_, ++window.starts[target]);
    effects_.acquire(key);
    // MPI_Win_complete waits for the post; MPI_Win_start need not.
    if (steps_.wanted()) window.start_keys.push_back(key);
  }
}

void OneSided::complete(Window& window, const Event& event) {
  for (std::size_t i = 0; i < window.start_keys.size(); ++i)
    steps_.acquire({window.start_keys[i], MessageSteps::one(window.started[i])}, event.site);
  window.start_keys.clear();
  finish(window, event);
  for (const WorldRank target : window.started) {
    const std::uint64_t key = complete_key(window, rank_, target, window.starts[target]);
    effects_.release(key);
    if (steps_.wanted()) steps_.release(key, 1, true, event.site);
  }
  window.started.clear();
}

void OneSided::wait(Window& window, const Event& event) {
  if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) return;
  for (const WorldRank origin : window.posted) {
    Region::Exposures& exposed = window.region->to_origin[origin];
    if (!exposed.known.empty()) exposed.known.back().end = effects_.instant(At::Return);
    const std::uint64_t key = complete_key(window, origin, rank_, exposed.count());
    effects_.acquire(key);
    if (steps_.wanted()) steps_.acquire({key, MessageSteps::one(origin)}, event.site);
  }
  window.posted.clear();
}

void OneSided::lock(Window& window, const Event& event, Action action) {
  const WorldRank target = action == Action::Lock ? event.fields.rank(Field::target) : kAnySource;
  if (action == Action::Lock && target.value < 0) return;
  const bool exclusive = action == Action::Lock && event.fields[Field::lock] == kExclusiveLock;
  const bool checked = (assertion_of(event) & kNoCheck) == 0;
  window.locks[target] = {exclusive, checked, event.site};
  if (!checked) return;
  effects_.acquire_lock(window.uid, target, exclusive);
  // The library may defer a lock at another rank until the first operation on it.
  if (steps_.wanted() && target == rank_) steps_.locked(window, target, event.site);
}

void OneSided::unlock(Window& window, const Event& event, Action action) {
  const WorldRank target = action == Action::Unlock ? event.fields.rank(Field::target) : kAnySource;
  if (steps_.wanted())
    if (const auto held = window.locks.find(target);
        held != window.locks.end() && held->second.checked) {
      steps_.lock(MessageStep::Kind::Unlock, window, target, held->second.exclusive,
                  effects_.times().start, event.site);
      steps_.locked(window, target, event.site);
    }
  finish(window, event);
  window.locks.erase(target);
  effects_.release_lock(window.uid, target);
}

void OneSided::flush(Window& window, const Event& event) {
  if (steps_.wanted())
    steps_.locked(window,
                  event.fields.has(Field::target) ? event.fields.rank(Field::target) : kAnySource,
                  event.site);
  finish(window, event);
}

// --- windows

void OneSided::attach(const Event& event, Action action) {
  Window& window = window_of(event);
  const auto begin = static_cast<std::uint64_t>(event.fields[Field::address]);
  if (action == Action::WinAttach)
    effects_.expose(window.uid, begin,
                    begin + static_cast<std::uint64_t>(event.fields[Field::size]));
  else
    effects_.unexpose(window.uid, begin);
}

void OneSided::free(const Event& event) {
  Window& window = window_of(event);
  effects_.unexpose(window.uid);
  if (steps_.wanted()) steps_.exchange(*window.comm, free_key(window), event.site);
  if (window.comm->whole_world && !effects_.many_threads()) {
    effects_.sync_point();
    return;
  }
  effects_.release(free_key(window));
  effects_.acquire(free_key(window));
}

void OneSided::end_messages() {
  for (const auto& [id, window] : windows_)
    if (window != nullptr) steps_.holds(*window);
}

// The call did not return: the rank waits in it.
void OneSided::report_unreturned(const Event& event, Action action) {
  Window& window = window_of(event);
  if (window.comm == nullptr || window.comm->has_external_ranks) return;
  const std::int64_t assertion = assertion_of(event);
  const WorldRank target =
      event.fields.has(Field::target) ? event.fields.rank(Field::target) : kAnySource;
  switch (action) {
    case Action::Fence:
      if (completion_of(action, assertion))
        steps_.exchange(*window.comm, fence_key(window), event.site);
      return;
    case Action::WinFree:
      return steps_.exchange(*window.comm, free_key(window), event.site);
    case Action::StartEpoch:
      for (const WorldRank owner : group_of(event))
        steps_.acquire(
            {post_key(window, owner, rank_, window.starts[owner] + 1), MessageSteps::one(owner)},
            event.site);
      return;
    case Action::Complete:
      for (std::size_t i = 0; i < window.start_keys.size(); ++i)
        steps_.acquire({window.start_keys[i], MessageSteps::one(window.started[i])}, event.site);
      return;
    case Action::WaitEpoch:
      for (const WorldRank origin : window.posted)
        steps_.acquire(
            {complete_key(window, origin, rank_, window.region->to_origin[origin].count()),
             MessageSteps::one(origin)},
            event.site);
      return;
    case Action::Lock:
    case Action::LockAll:
      if ((assertion & kNoCheck) != 0) return;
      return steps_.await_lock(
          window, target, action == Action::Lock && event.fields[Field::lock] == kExclusiveLock,
          true, event.site);
    case Action::Unlock:
    case Action::UnlockAll:
    case Action::Flush:
    case Action::FlushAll:
    case Action::FlushLocal:
    case Action::FlushLocalAll:
      // The library may have deferred the lock until this call.
      for (const auto& [held, lock] : window.locks)
        if ((target == kAnySource || held == kAnySource || held == target) && lock.checked &&
            !lock.reported)
          steps_.await_lock(window, held, lock.exclusive, false, event.site);
      return;
    default:
      return;
  }
}

}  // namespace photofinish::mpi_meaning
