// Happens-before among the tasks of one rank, and the sync points that each task knows.
//
// Rule: one vector clock per task, joined when a task acquires what another released. A sync point
// orders the task that calls it; another task knows it after it acquires from a task that does. A
// task that communicates is assumed to know all sync points that its rank has reached. Tasks that
// communicate are ordered as observed, since a reply to one thread may depend on a message from
// another. Both may add order, so a race may be missed, but none is invented.
//
// Atomic operations and fences: relaxed operations are not events. So a fence counts as having read
// what any atomic operation released, and an acquiring operation as having read what was stored
// behind a fence. This adds order in programs that use both.
//
// Misses: a task whose start was not seen knows everything before its first event.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/access.h"

namespace photofinish {

class TaskOrder {
 public:
  // All other tasks know everything that the first task has done so far.
  explicit TaskOrder(SyncPoint sync_points_done);

  // A task's next event. `acquires`: the event is an acquire, so a new task knows nothing else.
  void enter(std::uint32_t task, Timestamp start, bool acquires);
  void release(std::uint32_t task, std::uint64_t key, Timestamp start, bool rests);
  void acquire(std::uint32_t task, std::uint64_t key);
  void forget(std::uint64_t key) { released_.erase(key); }  // no task will acquire it
  // The task releases to other ranks, or acquires from them, in this phase.
  void send(std::uint32_t task, Timestamp start, SyncPoint phase);
  void receive(std::uint32_t task, Timestamp now, SyncPoint phase);
  // It calls a sync point: behind it, it knows who called those before.
  void sync(std::uint32_t task, Timestamp start, SyncPoint sync_points_done);

  SyncPoint sync_point_of(std::uint32_t task) const { return tasks_[task].sync_point; }
  const Knowledge& known(std::uint32_t task);
  // Whether the current event of the task knows what ended at `end`.
  bool knows(std::uint32_t task, Timestamp end) const {
    const std::uint32_t other = task_of(end);
    return other == task || (other < tasks_[task].clock.size() && end < tasks_[task].clock[other]);
  }
  // The sync point by which all ranks may know what ended then; kNoSyncPoint: none so far.
  SyncPoint reported(Timestamp end) const;
  // Between the two, as observed, a task of the rank acquired something from another rank.
  bool acquired_between(Timestamp after, Timestamp before) const;
  // Whether all tasks that may still run know it.
  bool is_known_to_all(Timestamp end) const;

 private:
  using Clock = std::vector<Timestamp>;  // as in Knowledge
  struct Task {
    Clock clock;
    SyncPoint sync_point = 0;
    bool is_new = true, rests = false;
    Knowledge known;  // the same as `clock`; null if outdated
  };
  struct Released {
    Clock clock;
    SyncPoint sync_point = 0;
  };
  static bool join(Clock& clock, const Clock& other);
  static void join(Released& released, const Task& task);
  void join(Task& task, const Clock& clock, SyncPoint sync_point);
  void add_own(std::uint32_t task, Timestamp start);

  std::vector<Task> tasks_;
  std::unordered_map<std::uint64_t, Released> released_;
  Released by_atomics_;   // by any of them
  Clock at_sync_points_;  // of all tasks that called one
  // For each task: up to which timestamp other ranks may know it, by phase.
  struct Reported {
    SyncPoint phase;
    Timestamp until;
  };
  std::vector<std::deque<Reported>> reported_;
  std::deque<std::uint64_t> acquired_;  // halves of timestamps
};

}  // namespace photofinish
