// One-sided operations and their epochs: from when to when each touches its buffers and its target.
#include <algorithm>

#include "detect/timeline_state.h"

namespace photofinish {
namespace {

WorldRank target_of(const Event& event) { return WorldRank(static_cast<std::int32_t>(event.fields[Field::target])); }

AccessKind kind_of(Action action) {
  switch (action) {
    case Action::Put: return AccessKind::Put;
    case Action::Get: return AccessKind::Get;
    default: return AccessKind::Accumulate;
  }
}

bool fetches(Action action) { return action != Action::Put && action != Action::Accumulate; }

}  // namespace

Timeline::Window& Timeline::window_of(const Event& event) {
  const Field field = event.fields.has(Field::new_win) ? Field::new_win : Field::win;
  const WinId id(static_cast<std::uint32_t>(event.fields[field]));
  std::unique_ptr<Window>& window = windows_[id];
  if (window != nullptr) return *window;
  window = std::make_unique<Window>();
  window->id = id;
  window->comm = &comm(CommId(0));
  if (const auto found = definitions_.wins.find(id); found != definitions_.wins.end()) {
    window->uid = found->second.uid;
    window->comm = &comm(found->second.comm);
    window_ids_[window->uid] = id;
    if (found->second.size > 0) exposed_.push_back({window->uid, found->second.base, found->second.base + found->second.size});
    each_open([&](Access& access) { access.reachable = access.reachable || exposed(access); });
    for (const WinSegment& segment : found->second.segments) segments_[segment.address] = {segment, window->uid};
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

void Timeline::one_sided(const Event& event, Action action) {
  const WorldRank target = target_of(event);
  if (target.value < 0) return;
  Window& window = window_of(event);
  auto operation = std::make_shared<Operation>();
  operation->fetches = fetches(action);
  SiteId opened;
  const Epoch epoch = epoch_of(window, target, opened);
  ReduceOp op = ReduceOp::None;
  if (action == Action::CompareAndSwap) op = ReduceOp::CompareAndSwap;
  else if (event.fields.has(Field::op))
    if (const auto found = definitions_.ops.find(OpId(static_cast<std::uint32_t>(event.fields[Field::op]))); found != definitions_.ops.end())
      op = reduce_op_of(found->second.name);
  for (const Buffer& buffer : event.buffers) {
    if (buffer.access <= BufferUse::ReadWrite) {
      Access access = make(event, buffer.access == BufferUse::Read ? AccessKind::Load : AccessKind::Store, buffer, true);
      access.opened = opened;
      add_access(operation->buffers, std::move(access));
      continue;
    }
    Buffer relative = buffer;
    relative.address = 0;
    Access& access = operation->target = make(event, kind_of(action), relative, true);
    access.owner = target;
    access.win = window.uid;
    access.displacement = buffer.address;
    access.epoch = epoch;
    access.opened = opened;
    access.op = op;
    if (access.kind == AccessKind::Accumulate)
      if (const auto type = definitions_.types.find(buffer.type); type != definitions_.types.end())
        access.element = element_of(type->second.element);
  }
  if (event.fields.has(Field::atomic)) {
    operation->number = event.fields[Field::atomic];
    AtomicOp& atomic = operation->atomic;
    atomic.rank = rank_;
    atomic.owner = target;
    atomic.win = window.uid;
    atomic.displacement = operation->target.displacement;
    atomic.op = op;
    atomic.element = operation->target.element;
    atomic.fetches = operation->fetches;
    if (event.fields.has(Field::operand)) atomic.operand = static_cast<std::uint64_t>(event.fields[Field::operand]);
    if (event.fields.has(Field::compare)) atomic.compare = static_cast<std::uint64_t>(event.fields[Field::compare]);
    atomic.start = times_.start;
    atomic.begin = start_;
    atomic.after = cuts_done_;
    if (!atomic.fetches) {
      operation->plain_at = atomics_taken_ + atomics_.size();
      atomics_.push_back(atomic);
    }
  }
  if (event.fields.has(Field::request)) {
    Request& request = new_request(event);
    request.operation = operation;
    request.window = &window;
    request.target = target;
  }
  window.operations[target].push_back(std::move(operation));
}

void Timeline::result_of(Operation& operation, const Event& event) {
  if (operation.number == 0 || !operation.fetches) return;
  AtomicOp& atomic = operation.atomic;
  atomic.done = times_.end;
  for (std::size_t i = 0; i + 1 < event.numbers.size(); i += 2)
    if (event.numbers[i] == operation.number) {
      atomic.has_result = true;
      atomic.result = static_cast<std::uint64_t>(event.numbers[i + 1]);
      break;
    }
  atomic.known = return_;
  atomic.known_after = cuts_done_;
  atomics_.push_back(atomic);
}

void Timeline::finish_operation(Operation& operation, bool remotely, Moment moment, Cut before, const Event& event) {
  if (!operation.local_done) {
    operation.local_done = true;
    for (Access& access : operation.buffers) close(access, moment, before, event.site);
    result_of(operation, event);
  }
  if (!operation.remote_done && (remotely || operation.fetches)) {
    operation.remote_done = true;
    close(operation.target, moment, before, event.site);
    if (operation.number != 0 && !operation.fetches && operation.plain_at >= atomics_taken_)
      atomics_[operation.plain_at - atomics_taken_].done = times_.end;
  }
}

void Timeline::finish(Window& window, WorldRank target, bool remotely, Moment moment, Cut before, const Event& event) {
  const auto found = window.operations.find(target);
  if (found == window.operations.end()) return;
  for (const auto& operation : found->second) finish_operation(*operation, remotely, moment, before, event);
  std::erase_if(found->second, [](const auto& operation) { return operation->local_done && operation->remote_done; });
}

void Timeline::finish_all(Window& window, bool remotely, Moment moment, Cut before, const Event& event) {
  for (auto& [target, operations] : window.operations) {
    for (const auto& operation : operations) finish_operation(*operation, remotely, moment, before, event);
    std::erase_if(operations, [](const auto& operation) { return operation->local_done && operation->remote_done; });
  }
}

void Timeline::synchronise(const Event& event, Action action) {
  Window& window = window_of(event);
  const std::int64_t assertion = event.fields.has(Field::assertion) ? event.fields[Field::assertion] : 0;
  const Cut next_cut = this->next_cut();
  const auto group = [&]() -> const std::vector<WorldRank>& {
    static const std::vector<WorldRank> none;
    const auto found = definitions_.groups.find(GroupId(static_cast<std::uint32_t>(event.fields[Field::group])));
    return found != definitions_.groups.end() ? found->second.ranks : none;
  };
  const auto rank_bits = [](WorldRank rank) { return static_cast<std::uint32_t>(rank.value); };
  switch (action) {
    case Action::Fence: {
      const bool orders = (assertion & kNoPrecede) == 0;
      if (orders) {
        finish_all(window, true, start_, next_cut, event);
        for (auto at = window.fences.known.rbegin(); at != window.fences.known.rend() && at->end.moment == kNever; ++at)
          at->end = {rank_, start_, next_cut};
      }
      if (orders && window.comm->whole_world && !many_threads_) {
        cut();
      } else if (orders) {
        const std::uint64_t key = signal_key(Channel::Collective, window.uid.value, window.fences.count());
        say(key, start_);
        hear(key, return_);
      }
      window.fences.known.push_back({{rank_, orders ? return_ : start_, cuts_done_}, {rank_, kNever, kNoCut}});
      window.fence_site = event.site;
      return;
    }
    case Action::Post:
      window.posted = group();
      for (const WorldRank origin : window.posted) {
        Window::Exposures& exposed = window.exposed[origin];
        exposed.known.push_back({{rank_, start_, cuts_done_}, {rank_, kNever, kNoCut}});
        say(signal_key(Channel::Post, window.uid.value, rank_bits(rank_), rank_bits(origin), exposed.count()), start_);
      }
      return;
    case Action::StartEpoch:
      window.started = group();
      window.started_site = event.site;
      for (const WorldRank target : window.started)
        hear(signal_key(Channel::Post, window.uid.value, rank_bits(target), rank_bits(rank_), ++window.starts[target]), return_);
      return;
    case Action::Complete:
      for (const WorldRank target : window.started) {
        const auto found = window.operations.find(target);
        if (found != window.operations.end()) {
          for (const auto& operation : found->second) {
            finish_operation(*operation, false, return_, next_cut, event);
            if (operation->remote_done) continue;
            // Over when the target says so: it is the owner who knows.
            operation->remote_done = true;
            operation->target.locks.clear();  // which may be given back before that
            close(operation->target, kNever, kNoCut, event.site);
          }
          found->second.clear();
        }
        say(signal_key(Channel::Complete, window.uid.value, rank_bits(rank_), rank_bits(target), window.starts[target]), start_);
      }
      window.started.clear();
      return;
    case Action::WaitEpoch:
      if (event.fields.has(Field::flag) && event.fields[Field::flag] == 0) return;
      for (const WorldRank origin : window.posted) {
        Window::Exposures& exposed = window.exposed[origin];
        if (!exposed.known.empty()) exposed.known.back().end = {rank_, return_, next_cut};
        hear(signal_key(Channel::Complete, window.uid.value, rank_bits(origin), rank_bits(rank_), exposed.count()), return_);
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
      if (checked) held_.push_back({window.uid, target, exclusive, start_});
      return;
    }
    case Action::Unlock:
    case Action::UnlockAll: {
      const WorldRank target = action == Action::Unlock ? target_of(event) : kAnySource;
      if (action == Action::Unlock) finish(window, target, true, return_, next_cut, event);
      else finish_all(window, true, return_, next_cut, event);
      window.locks.erase(target);
      std::erase_if(held_, [&](const Lock& lock) { return lock.win == window.uid && lock.target == target; });
      return;
    }
    case Action::Flush: return finish(window, target_of(event), true, return_, next_cut, event);
    case Action::FlushAll: return finish_all(window, true, return_, next_cut, event);
    case Action::FlushLocal: return finish(window, target_of(event), false, return_, next_cut, event);
    case Action::FlushLocalAll: return finish_all(window, false, return_, next_cut, event);
    default: return;
  }
}

void Timeline::windows(const Event& event, Action action) {
  Window& window = window_of(event);
  if (action != Action::WinFree) {
    const auto begin = static_cast<std::uint64_t>(event.fields[Field::address]);
    if (action == Action::WinAttach) {
      exposed_.push_back({window.uid, begin, begin + static_cast<std::uint64_t>(event.fields[Field::size])});
      each_open([&](Access& access) { access.reachable = access.reachable || exposed(access); });
    } else std::erase_if(exposed_, [&](const Exposed& memory) { return memory.win == window.uid && memory.begin == begin; });
    return;
  }
  std::erase_if(exposed_, [&](const Exposed& memory) { return memory.win == window.uid; });
  std::erase_if(segments_, [&](const auto& entry) { return entry.second.win == window.uid; });
  if (window.comm->whole_world && !many_threads_) {
    cut();
    return;
  }
  const std::uint64_t key = signal_key(Channel::Collective, window.uid.value, ~std::uint64_t{0});
  say(key, start_);
  hear(key, return_);
}

std::optional<Timeline::Exposure> Timeline::exposure_of(const Access& access) const {
  const auto id = window_ids_.find(access.win);
  if (id == window_ids_.end()) return std::nullopt;
  const Window& window = *windows_.at(id->second);
  const Exposure* exposure = nullptr;
  if (access.epoch.kind == EpochKind::Fence) exposure = window.fences.find(access.epoch.index);
  if (access.epoch.kind == EpochKind::Start)
    if (const auto found = window.exposed.find(access.rank); found != window.exposed.end()) exposure = found->second.find(access.epoch.index);
  return exposure != nullptr ? std::optional(*exposure) : std::nullopt;
}

void Timeline::forget_exposures() {
  for (auto& [id, window] : windows_) {
    window->fences.forget();
    for (auto& [origin, exposures] : window->exposed) exposures.forget();
  }
}

}  // namespace photofinish
