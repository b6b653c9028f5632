#include "effects/timeline.h"

#include <algorithm>

#include "effects/meaning.h"
#include "order/keys.h"

namespace photofinish {

Timeline::Timeline(WorldRank rank, std::int32_t world_size, const Definitions& definitions)
    : rank_(rank), world_size_(world_size), definitions_(definitions) {}

Timeline::~Timeline() = default;

// --- tasks

void Timeline::enter(const Event& event, const Times& times) {
  times_ = times;
  const bool ordered = event.fields.has(Field::order) && !one_sequence_;
  if (ordered && tasks_ == nullptr) begin_tasks();
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
  scopes_.follow(event, definitions_);
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

// The accesses so far were made with one task. They are both Own and Shared.
void Timeline::begin_tasks() {
  tasks_ = std::make_unique<TaskOrder>(sync_points_done_);
  for (AccessList::Reader reader(more_closed_); const Access* access = reader.next();)
    if (access->owner != rank_ || access->reachable) settled_.push_back(*access);
  for (const Access& access : closed_)
    if (access.owner != rank_ || access.reachable) settled_.push_back(access);
  std::erase_if(closed_, [&](const Access& a) { return a.owner != rank_ || a.win != Uid(0); });
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

Knowledge Timeline::note_release(SyncPoint phase) {
  if (tasks_ == nullptr) return nullptr;
  tasks_->send(task_, start_, phase);
  settle_waiting(phase + 1);
  return tasks_->known(task_);
}

void Timeline::note_acquire() {
  if (tasks_ != nullptr) tasks_->receive(task_, return_, sync_points_done_);
}

void Timeline::task_release(std::uint64_t key, At at) {
  if (tasks_ != nullptr) tasks_->release(task_, key, this->at(at) + 1, false);
}

void Timeline::task_acquire(std::uint64_t key) {
  if (tasks_ != nullptr) tasks_->acquire(task_, key);
}

void Timeline::forget_task_release(std::uint64_t key) {
  if (tasks_ != nullptr) tasks_->forget(key);
}

void Timeline::serialize_tasks(std::uint64_t key) {
  task_acquire(key);
  task_release(key, At::Return);
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

void Timeline::give_back(const ByteRange& bytes) {
  constexpr std::size_t kMost = 1 << 16;
  if (tasks_ == nullptr) return;
  given_back_.push_back({bytes, half_of(start_)});
  if (given_back_.size() > kMost) given_back_.pop_front();
}

bool Timeline::was_given_back(const ByteRange& bytes, Timestamp after, Timestamp before) const {
  return std::any_of(given_back_.begin(), given_back_.end(), [&](const GivenBack& one) {
    return one.bytes.begin <= bytes.begin && bytes.end <= one.bytes.end &&
           half_of(after) <= one.half + 1 && one.half < half_of(before);
  });
}

// --- the program itself

bool Timeline::program(const Event& event) {
  switch (event.call) {
    case Call::load:
    case Call::store:
    case Call::release:
      for (Access& access : touched_by(event)) {
        if (event.call == Call::release)
          for (std::size_t i = 0; i < access.footprint.size(); ++i)
            give_back(access.footprint.bounds(i));
        if (event.call != Call::release || !event.fields.has(Field::flag))
          close_now(access, event.site);
      }
      return true;
    case Call::task_release:
      if (tasks_ != nullptr)
        tasks_->release(task_, static_cast<std::uint64_t>(event.fields[Field::key]), start_,
                        event.fields.has(Field::flag) && event.fields[Field::flag] != 0);
      return true;
    case Call::task_acquire:
      if (tasks_ != nullptr)
        tasks_->acquire(task_, static_cast<std::uint64_t>(event.fields[Field::key]));
      return true;
    case Call::happens_before:
    case Call::happens_after:
      annotated(event);
      return true;
    default:
      return is_program(event.call);
  }
}

void Timeline::unreturned(const Event& event) {
  for (Access& access : buffers_of(event, true)) unfinished_.push_back(std::move(access));
}

// --- order

std::vector<PhaseEdges> Timeline::take_edges(bool last) {
  if (!last && meaning_ != nullptr) meaning_->guess_edges();
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

void Timeline::release(std::uint64_t key, std::uint64_t position) {
  const Knowledge known = note_release(phase_at_start_);
  add_edge(phase_at_start_, {start_, key, false, position, false, known});
}

void Timeline::acquire(std::uint64_t key, std::uint64_t position) {
  note_acquire();
  add_edge(sync_points_done_, {return_, key, true, position});
}

// Marked as guessed, since annotations may form cycles.
void Timeline::annotated(const Event& event) {
  const std::uint64_t key =
      edge_key(Channel::Annotated, event.fields[Field::key], event.fields[Field::value]);
  const bool acquires = event.call == Call::happens_after;
  if (acquires) note_acquire();
  const Knowledge known = acquires ? nullptr : note_release(phase_at_start_);
  add_edge(
      acquires ? sync_points_done_ : phase_at_start_,
      {acquires ? return_ : start_, key, acquires, acquires ? kEveryPosition : 0, true, known});
}

MessageStep Timeline::message_step(MessageStep::Kind kind, SiteId site) const {
  MessageStep step;
  step.kind = kind;
  step.timestamp = half_of(start_);  // messages have one order for all tasks
  step.site = site;
  step.site_key = site_key(site);
  return step;
}

// --- locks

void Timeline::acquire_lock(Uid region, WorldRank target, bool exclusive) {
  held_.push_back({region, target, exclusive, start_});
  held_changed();
}

void Timeline::release_lock(Uid region, WorldRank target) {
  std::erase_if(held_,
                [&](const Lock& lock) { return lock.win == region && lock.target == target; });
  held_changed();
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

}  // namespace photofinish
