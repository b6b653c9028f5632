// Operations on regions: when each accesses its buffers and its target.
#include <algorithm>

#include "effects/timeline.h"
#include "order/keys.h"

namespace photofinish {

Pending& Timeline::begin(Region& region, WorldRank target, std::uint64_t operation,
                         const Begin& begin) {
  Pending& added = region.on(target).pending.emplace_back();
  added.operation = operation;
  added.fetches = begin.fetches;
  if (begin.kind == AccessKind::Store) ++pending_writes_;
  return added;
}

void Timeline::begin_buffer(Region& region, WorldRank target, std::uint64_t operation,
                            const Begin& begin, const Event& event, const Buffer& buffer) {
  if (segments_.empty()) {
    Access& access = this->begin(region, target, operation, begin).access;
    set(access, event, begin.kind, buffer, true);
    access.opened = begin.opened;
    return;
  }
  std::vector<Access> parts;
  add_access(parts, make(event, begin.kind, buffer, true));
  for (Access& part : parts) {
    part.opened = begin.opened;
    this->begin(region, target, operation, begin).access = std::move(part);
  }
}

Pending& Timeline::begin_target(Region& region, WorldRank target, std::uint64_t operation,
                                const Begin& begin, const Event& event, const Buffer& buffer) {
  Buffer relative = buffer;
  relative.address = 0;
  Pending& added = this->begin(region, target, operation, begin);
  added.at_target = true;
  Access& access = added.access;
  set(access, event, begin.kind, relative, true);
  access.opened = begin.opened;
  access.owner = target;
  access.win = region.uid();
  access.displacement = buffer.address;
  access.delivery = begin.delivery;
  return added;
}

AtomicOp& Timeline::add_value(const Location& location, std::uint64_t value) {
  AtomicOp& atomic = atomics_.emplace_back();
  atomic.rank = rank_;
  atomic.owner = location.owner;
  atomic.win = location.region;
  atomic.displacement = location.displacement;
  atomic.element = {ElementKind::Integer, location.bytes};
  atomic.operand = value;
  atomic.start = times_.start;
  atomic.done = times_.end;
  atomic.begin = start_;
  atomic.knows = known();
  atomic.after = last_sync_point();
  return atomic;
}

void Timeline::observe(const Location& location, std::uint64_t value) {
  AtomicOp& atomic = add_value(location, 0);
  atomic.op = ReduceOp::NoOp;
  atomic.fetches = atomic.has_result = true;
  atomic.result = value;
  atomic.known = return_;
  atomic.known_after = last_sync_point();
  note_acquire();
}

void Timeline::announce(const Location& location, std::uint64_t value) {
  note_release(phase_at_start_);
  add_value(location, value).op = ReduceOp::Replace;
}

// Adds one atomic per element.
void Timeline::result_of(const Pending& pending, const Completing& how) {
  const Access& access = pending.access;
  const std::span<const std::int64_t> results = how.results;
  std::size_t result = 0;  // of the first element; the others follow
  while (result + 1 < results.size() && results[result] != pending.atomic) result += 2;
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
    atomic.delivery = access.delivery;
    atomic.fetches = pending.fetches;
    atomic.operand = access.operand;
    if (i > 0 && behind_first < pending.more_operands.size())
      atomic.operand = static_cast<std::uint64_t>(pending.more_operands[behind_first]);
    atomic.compare = pending.compare;
    if (pending.fetches && result + 1 < results.size() && results[result] == pending.atomic + i) {
      atomic.has_result = true;
      atomic.result = static_cast<std::uint64_t>(results[result + 1]);
    }
    atomic.start = access.start;
    atomic.done = times_.end;
    atomic.begin = access.begin;
    atomic.knows = access.known;
    atomic.after = access.after;
    if (!pending.fetches) continue;
    atomic.known = return_;
    atomic.known_after = last_sync_point();
  }
}

// The operation completes locally and, if Remote, at the target. An operation with a result
// completes at both.
bool Timeline::finish(Pending& pending, const Completing& how) {
  if (pending.over) return true;
  if (pending.at_target && how.completeness == Completeness::Local && !pending.fetches)
    return false;
  if (pending.atomic != 0) {
    result_of(pending, how);
    pending.access.operand = pending.access.start = 0;  // no longer needed
  }
  if (pending.access.kind == AccessKind::Store)
    --pending_writes_;
  else if (!pending.at_target && meets_nothing(pending.access))
    return pending.over = true;
  if (pending.access.plain_atomic) pending.access.done = times_.end;
  close(pending.access, at(how.at), next_sync_point(), how.site);
  return pending.over = true;
}

std::uint64_t Timeline::flush_key(const Region& region, WorldRank target) const {
  return edge_key(Channel::Flush, region.uid().value, static_cast<std::uint32_t>(rank_.value),
                  static_cast<std::uint32_t>(target.value));
}

// An operation counts as complete at the first flush that may complete it. If another task made
// that flush, the operation is complete after this call, too: this call comes after that flush.
void Timeline::after_other_flush(const Region& region, WorldRank target) {
  const auto found = region.operations_.find(target);
  if (found != region.operations_.end() && found->second.by_other_task)
    task_acquire(flush_key(region, target));
}

void Timeline::complete(Region& region, WorldRank target, const Completing& how) {
  const auto found = region.operations_.find(target);
  if (found == region.operations_.end()) return;
  Region::Operations& operations = found->second;
  bool by_other_task = false;
  // A program may flush locally after each operation: those that earlier flushes left are not
  // visited again.
  const bool every = how.completeness == Completeness::Remote || tasks_ != nullptr;
  std::vector<Pending>& pending_ones = operations.pending;
  const auto first =
      pending_ones.begin() + static_cast<std::ptrdiff_t>(every ? 0 : operations.settled);
  const auto left = std::remove_if(first, pending_ones.end(), [&](Pending& pending) {
    // A task does not complete what another task started meanwhile, unless that may be known by way
    // of other ranks.
    const bool knows =
        tasks_ == nullptr || how.of_all_tasks || tasks_->knows(task_, pending.access.begin);
    if (!knows && (tasks_->reported(pending.access.begin) == kNoSyncPoint ||
                   !tasks_->acquired_between(pending.access.begin, start_)))
      return false;
    const bool over = finish(pending, how);
    by_other_task =
        by_other_task || (over && tasks_ != nullptr && task_of(pending.access.begin) != task_);
    return over;
  });
  pending_ones.erase(left, pending_ones.end());
  operations.over = 0;
  operations.settled = every ? 0 : pending_ones.size();
  after_other_flush(region, target);
  if (!by_other_task) return;
  task_release(flush_key(region, target), At::Return);
  operations.by_other_task = true;
}

void Timeline::complete_all(Region& region, const Completing& how) {
  for (auto& [target, operations] : region.operations_) complete(region, target, how);
}

void Timeline::complete_operation(Region& region, WorldRank target, std::uint64_t operation,
                                  const Completing& how) {
  Region::Operations& operations = region.on(target);
  after_other_flush(region, target);
  auto at = std::lower_bound(
      operations.pending.begin(), operations.pending.end(), operation,
      [](const Pending& pending, std::uint64_t number) { return pending.operation < number; });
  for (; at != operations.pending.end() && at->operation == operation; ++at) {
    if (at->over || !finish(*at, how)) continue;
    ++operations.over;
    const auto place = static_cast<std::size_t>(at - operations.pending.begin());
    operations.settled = std::min(operations.settled, place);
  }
  // Not one by one: a program may complete thousands, the oldest first.
  if (2 * operations.over < operations.pending.size()) return;
  std::erase_if(operations.pending, [](const Pending& pending) { return pending.over; });
  operations.over = 0;
}

void Timeline::complete_delivered(Region& region, WorldRank target, const Delivery& later,
                                  const Completing& how) {
  const auto found = region.operations_.find(target);
  if (found == region.operations_.end()) return;
  std::erase_if(found->second.pending, [&](Pending& pending) {
    return pending.over || (pending.access.delivery.precedes(later) && finish(pending, how));
  });
  found->second.over = found->second.settled = 0;
}

void Timeline::leave_to_owner(Region& region, WorldRank target, const Completing& how) {
  const auto found = region.operations_.find(target);
  if (found == region.operations_.end()) return;
  for (Pending& pending : found->second.pending) {
    if (finish(pending, how)) continue;
    pending.access.locks = nullptr;  // they may be released earlier
    close(pending.access, kNever, kNoSyncPoint, how.site);
  }
  found->second.pending.clear();
  found->second.over = found->second.settled = 0;
}

}  // namespace photofinish
