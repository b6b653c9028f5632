// Compares TaskOrder with a slow twin: a graph of all timestamps of all tasks, and reachability in
// it.
#include "order/task_order.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace photofinish::testing {
namespace {

constexpr std::uint32_t kTasks = 4;

struct Twin {
  struct Node {
    std::uint32_t task;
    std::vector<std::size_t> before;
  };
  std::vector<Node> nodes;
  std::map<std::uint32_t, std::size_t> last;                   // by task
  std::map<std::uint64_t, std::vector<std::size_t>> released;  // by key

  std::size_t add(std::uint32_t task) {
    nodes.push_back({task, {}});
    if (const auto found = last.find(task); found != last.end())
      nodes.back().before.push_back(found->second);
    return last[task] = nodes.size() - 1;
  }
  std::set<std::size_t> past(std::size_t node) const {
    std::set<std::size_t> seen;
    std::vector<std::size_t> open = nodes[node].before;
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (!seen.insert(next).second) continue;
      open.insert(open.end(), nodes[next].before.begin(), nodes[next].before.end());
    }
    return seen;
  }
};

TEST(TaskOrder, AgreesWithReachability) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    TaskOrder order(0);
    Twin twin;
    std::vector<Timestamp> timestamps;  // of the nodes
    for (std::uint64_t event = 0; event < 60; ++event) {
      const auto task = static_cast<std::uint32_t>(random() % kTasks);
      const std::uint64_t key = random() % 3;
      const int what = static_cast<int>(random() % 3);  // none, a release, an acquire
      const Timestamp start = timestamp_of(task, 2 * event);
      const std::size_t node = twin.add(task);
      timestamps.push_back(start);
      order.enter(task, start, true);
      if (what == 1) {
        order.release(task, key, start, false);
        twin.released[key].push_back(node);
      } else if (what == 2) {
        order.acquire(task, key);
        for (const std::size_t from : twin.released[key]) twin.nodes[node].before.push_back(from);
      }
      // What the task knows after this event: a release covers what completed before it.
      const std::set<std::size_t> past = twin.past(node);
      const Knowledge known = order.known(task);
      for (std::size_t other = 0; other < node; ++other) {
        if (twin.nodes[other].task == task) continue;
        const bool is_before = is_over_before(timestamps[other], start, known);
        // A node that is itself the release begins with it, and is not complete.
        bool is_reached = false;
        for (const std::size_t later : past)
          is_reached |= twin.nodes[later].task == twin.nodes[other].task && later > other;
        ASSERT_EQ(is_before, is_reached) << "seed " << seed << " event " << event;
      }
    }
  }
}

TEST(TaskOrder, WhatAllKnowIsForgotten) {
  TaskOrder order(0);
  order.enter(0, timestamp_of(0, 0), true);
  order.release(0, 1, timestamp_of(0, 2), false);
  order.enter(1, timestamp_of(1, 4), true);
  order.acquire(1, 1);
  EXPECT_TRUE(order.is_known_to_all(timestamp_of(0, 1)));
  EXPECT_FALSE(order.is_known_to_all(timestamp_of(1, 5)));
  order.enter(1, timestamp_of(1, 6), false);
  order.release(1, 2, timestamp_of(1, 6), true);
  order.enter(0, timestamp_of(0, 8), true);
  EXPECT_FALSE(order.is_known_to_all(timestamp_of(1, 5)));
  order.acquire(0, 2);
  EXPECT_TRUE(order.is_known_to_all(timestamp_of(1, 5)));
  order.enter(0, timestamp_of(0, 10), false);
  EXPECT_TRUE(order.is_known_to_all(timestamp_of(0, 9)));  // the other task is inactive
}

// A sync point orders the task that calls it, and tasks that acquire from it.
TEST(TaskOrder, SyncPointsAreKnownThroughTasks) {
  TaskOrder order(3);
  order.enter(0, timestamp_of(0, 0), true);
  order.release(0, 1, timestamp_of(0, 0), false);
  order.enter(1, timestamp_of(1, 2), true);
  order.acquire(1, 1);
  EXPECT_EQ(order.sync_point_of(1), 3u);
  order.enter(0, timestamp_of(0, 4), false);
  order.sync(0, timestamp_of(0, 4), 3);
  EXPECT_EQ(order.sync_point_of(0), 4u);
  EXPECT_EQ(order.sync_point_of(1), 3u);
  order.enter(0, timestamp_of(0, 6), false);
  order.release(0, 2, timestamp_of(0, 6), false);
  order.enter(1, timestamp_of(1, 8), false);
  order.acquire(1, 2);
  EXPECT_EQ(order.sync_point_of(1), 4u);
}

// What a task told other ranks in a phase, all may know from the sync point at its end on.
TEST(TaskOrder, WhatIsReportedIsKnownFromTheNextSyncPointOn) {
  TaskOrder order(0);
  order.enter(0, timestamp_of(0, 0), true);
  EXPECT_EQ(order.reported(timestamp_of(0, 1)), kNoSyncPoint);
  order.enter(0, timestamp_of(0, 2), false);
  order.send(0, timestamp_of(0, 2), 5);
  EXPECT_EQ(order.reported(timestamp_of(0, 1)), 6u);
  EXPECT_EQ(order.reported(timestamp_of(0, 3)), kNoSyncPoint);
  order.enter(0, timestamp_of(0, 4), false);
  order.send(0, timestamp_of(0, 4), 7);
  EXPECT_EQ(order.reported(timestamp_of(0, 1)), 6u);
  EXPECT_EQ(order.reported(timestamp_of(0, 3)), 8u);
  EXPECT_FALSE(order.acquired_between(timestamp_of(0, 1), timestamp_of(1, 8)));
  order.receive(0, timestamp_of(0, 5), 7);
  EXPECT_TRUE(order.acquired_between(timestamp_of(0, 1), timestamp_of(1, 8)));
  EXPECT_FALSE(order.acquired_between(timestamp_of(0, 7), timestamp_of(1, 8)));
}

}  // namespace
}  // namespace photofinish::testing
