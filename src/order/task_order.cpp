#include "order/task_order.h"

#include <algorithm>

#include "model/task_key.h"

namespace photofinish {

TaskOrder::TaskOrder(SyncPoint sync_points_done) : tasks_(1) {
  tasks_[0].sync_point = sync_points_done;
  tasks_[0].is_new = false;
}

bool TaskOrder::join(Clock& clock, const Clock& other) {
  bool changed = false;
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  for (std::size_t i = 0; i < other.size(); ++i)
    if (clock[i] < other[i]) clock[i] = other[i], changed = true;
  return changed;
}

void TaskOrder::join(Task& task, const Clock& clock, SyncPoint sync_point) {
  if (join(task.clock, clock)) task.known = nullptr;
  task.sync_point = std::max(task.sync_point, sync_point);
}

void TaskOrder::join(Released& released, const Task& task) {
  join(released.clock, task.clock);
  released.sync_point = std::max(released.sync_point, task.sync_point);
}

// Adds the task's own events that are complete when this one starts.
void TaskOrder::add_own(std::uint32_t task, Timestamp start) {
  Task& own = tasks_[task];
  if (own.clock.size() <= task) own.clock.resize(task + 1, 0);
  own.clock[task] = start;
}

void TaskOrder::enter(std::uint32_t task, Timestamp start, bool acquires) {
  if (task >= tasks_.size()) tasks_.resize(task + 1);
  Task& own = tasks_[task];
  if (own.is_new && !acquires)
    for (const Task& other : std::vector<Task>(tasks_)) join(own, other.clock, other.sync_point);
  own.is_new = own.rests = false;
  add_own(task, start);
}

void TaskOrder::release(std::uint32_t task, std::uint64_t key, Timestamp start, bool rests) {
  add_own(task, start);
  join(released_[key], tasks_[task]);
  if (is_atomic_key(key)) join(by_atomics_, tasks_[task]);
  tasks_[task].rests = rests;
}

void TaskOrder::acquire(std::uint32_t task, std::uint64_t key) {
  const auto take = [&](std::uint64_t one) {
    if (const auto found = released_.find(one); found != released_.end())
      join(tasks_[task], found->second.clock, found->second.sync_point);
  };
  take(key);
  if (is_atomic_key(key)) take(kFenceKey);
  if (key == kFenceKey) join(tasks_[task], by_atomics_.clock, by_atomics_.sync_point);
}

void TaskOrder::send(std::uint32_t task, Timestamp start, SyncPoint phase) {
  constexpr std::size_t kRecent = 4096;  // what was told earlier counts as told then
  add_own(task, start + 1);              // a fence completes operations when it starts
  Task& own = tasks_[task];
  own.sync_point = std::max(own.sync_point, phase);
  if (reported_.size() < own.clock.size()) reported_.resize(own.clock.size());
  for (std::size_t i = 0; i < own.clock.size(); ++i) {
    std::deque<Reported>& reported = reported_[i];
    const Timestamp until = own.clock[i];
    if (until == 0 || (!reported.empty() && reported.back().until >= until)) continue;
    if (!reported.empty() && reported.back().phase >= phase)
      reported.back().until = until;
    else
      reported.push_back({phase, until});
    if (reported.size() > kRecent) reported.pop_front();
  }
}

void TaskOrder::receive(std::uint32_t task, Timestamp now, SyncPoint phase) {
  constexpr std::size_t kRecent = 1 << 16;
  Task& own = tasks_[task];
  own.sync_point = std::max(own.sync_point, phase);
  if (acquired_.empty() || acquired_.back() < half_of(now)) acquired_.push_back(half_of(now));
  if (acquired_.size() > kRecent) acquired_.pop_front();
}

void TaskOrder::sync(std::uint32_t task, Timestamp start, SyncPoint sync_points_done) {
  send(task, start, sync_points_done);
  join(at_sync_points_, tasks_[task].clock);
  receive(task, start, sync_points_done + 1);
  join(tasks_[task], at_sync_points_, sync_points_done + 1);
}

SyncPoint TaskOrder::reported(Timestamp end) const {
  const std::uint32_t task = task_of(end);
  if (end == kNever || task >= reported_.size()) return kNoSyncPoint;
  const auto first =
      std::partition_point(reported_[task].begin(), reported_[task].end(),
                           [&](const Reported& reported) { return reported.until <= end; });
  return first != reported_[task].end() ? first->phase + 1 : kNoSyncPoint;
}

bool TaskOrder::acquired_between(Timestamp after, Timestamp before) const {
  const auto first = std::lower_bound(acquired_.begin(), acquired_.end(), half_of(after));
  return first != acquired_.end() && *first <= half_of(before);
}

// Without its own component, which changes with each event.
const Knowledge& TaskOrder::known(std::uint32_t task) {
  Task& own = tasks_[task];
  if (own.known == nullptr) {
    auto known = std::make_shared<Clock>(own.clock);
    if (task < known->size()) (*known)[task] = 0;
    if (known->empty()) known->push_back(0);
    own.known = std::move(known);
  }
  return own.known;
}

bool TaskOrder::is_known_to_all(Timestamp end) const {
  for (std::uint32_t task = 0; task < tasks_.size(); ++task)
    if (!tasks_[task].is_new && !tasks_[task].rests && !knows(task, end)) return false;
  return true;
}

}  // namespace photofinish
