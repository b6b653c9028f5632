// Happens-before among the tasks of one rank, and which sync points each task knows.
//
// Rule: a vector clock for each task, joined where a task acquires what another released. Sync
// points order the task that calls them; another task knows one when it acquires from a task that
// does. Order that goes through other ranks is not in these clocks: the resolver of the phase knows
// it (order/resolve.h). Here is only what helps to ask it: from which sync point on all ranks may
// know what a task did (told), and whether any task has acquired something from another rank
// meanwhile. A task that communicates is taken to know all sync points that its rank has reached by
// then. Both claim order where there may be none (a race may be missed), never the reverse.
// Misses: tasks that nobody was seen to start know everything that happened before their first
// event.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "model/access.h"

namespace photofinish {

class TaskOrder {
 public:
  // Everything that the first task has done so far is known to all others that follow.
  explicit TaskOrder(SyncPoint sync_points_done);

  // A task's next event; `acquires`: it acquires what it knows.
  void enter(std::uint32_t task, Timestamp start, bool acquires);
  void release(std::uint32_t task, std::uint64_t key, Timestamp start, bool rests);
  void acquire(std::uint32_t task, std::uint64_t key);
  // The task releases to other ranks, or acquires from them, in this phase.
  void send(std::uint32_t task, Timestamp start, SyncPoint phase);
  void receive(std::uint32_t task, Timestamp now, SyncPoint phase);
  // It calls a sync point: behind it, it knows who called those before.
  void sync(std::uint32_t task, Timestamp start, SyncPoint sync_points_done);

  SyncPoint sync_point_of(std::uint32_t task) const { return tasks_[task].sync_point; }
  const Knowledge& known(std::uint32_t task);
  // Whether the task knows what ended then, as of its event that starts now.
  bool knows(std::uint32_t task, Timestamp end) const {
    const std::uint32_t other = task_of(end);
    return other == task || (other < tasks_[task].clock.size() && end < tasks_[task].clock[other]);
  }
  // The sync point by which all ranks may know what ended then; kNoSyncPoint: none so far.
  SyncPoint reported(Timestamp end) const;
  // Between the two, as observed, a task of the rank acquired something from another rank.
  bool acquired_between(Timestamp after, Timestamp before) const;
  // All tasks that may still do something know it.
  bool is_known_to_all(Timestamp end) const;

 private:
  using Clock = std::vector<Timestamp>;  // as in Knowledge
  struct Task {
    Clock clock;
    SyncPoint sync_point = 0;
    bool is_new = true, rests = false;
    Knowledge known;  // the same as `clock`; null if that has changed
  };
  struct Released {
    Clock clock;
    SyncPoint sync_point = 0;
  };
  static bool join(Clock& clock, const Clock& other);
  void join(Task& task, const Clock& clock, SyncPoint sync_point);
  void add_own(std::uint32_t task, Timestamp start);

  std::vector<Task> tasks_;
  std::unordered_map<std::uint64_t, Released> released_;
  Clock at_sync_points_;  // of all who called one
  // For each task: what of it had been told in which phase.
  struct Reported {
    SyncPoint phase;
    Timestamp until;
  };
  std::vector<std::deque<Reported>> reported_;
  std::deque<std::uint64_t> acquired_;  // halves of timestamps
};

}  // namespace photofinish
