// The resolver with tasks against its slow twin: a graph of the starts and returns of all events of
// all tasks of all ranks, and reachability in it.
#include "order/resolve.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "order/task_order.h"

namespace photofinish::testing {
namespace {

// Events of all ranks, in the order in which they happen.
class World {
 public:
  explicit World(std::mt19937& random) : random_(random) {
    for (int rank = 0; rank < kRanks; ++rank) {
      ranks_.push_back({TaskOrder(0), {0, WorldRank(rank), {}}, {}, {}, {}});
      for (std::uint32_t task = 1; task < kTasks; ++task) {
        release(rank, 0, 100 + task);
        acquire(rank, task, 100 + task);
      }
    }
  }

  void step() {
    const int rank = static_cast<int>(random_() % kRanks);
    const auto task = static_cast<std::uint32_t>(random_() % kTasks);
    switch (random_() % 5) {
      case 0:
        return release(rank, task, random_() % 2);
      case 1:
        return acquire(rank, task, random_() % 2);
      case 2:
        return release(rank, task);
      case 3:
        if (!released_.empty()) acquire(rank, task, released_[random_() % released_.size()]);
        return;
      default:
        ask(rank, task);
    }
  }

  void compare() {
    std::vector<PhaseEdges> edges;
    std::vector<Query> queries;
    for (const Rank& rank : ranks_) edges.push_back(rank.edges);
    for (const Asked& asked : asked_) queries.push_back(asked.query);
    const std::vector<Timestamp> answers = resolve(edges, queries);
    ASSERT_EQ(answers.size(), asked_.size());
    for (std::size_t i = 0; i < asked_.size(); ++i) {
      const Query& query = queries[i];
      for (const Event& event : ranks_[static_cast<std::size_t>(query.about.value)].events) {
        if (event.task != query.task) continue;
        const Timestamp end = timestamp_of(event.task, 2 * event.number + 1);
        const bool ordered = answers[i] != kNever && end <= answers[i];
        EXPECT_EQ(ordered, reaches(event.start + 1, asked_[i].node))
            << "rank " << query.about.value << " task " << event.task << " event " << event.number
            << " before rank " << query.rank.value << " task " << task_of(query.timestamp)
            << " event " << event_of(query.timestamp);
      }
    }
  }

 private:
  static constexpr int kRanks = 3;
  static constexpr std::uint32_t kTasks = 3;
  struct Event {
    std::uint32_t task;
    std::uint64_t number;  // of the rank
    std::size_t start;     // its node; the next one is its return
  };
  struct Rank {
    TaskOrder order;
    PhaseEdges edges;
    std::vector<Event> events;
    std::map<std::uint32_t, std::size_t> last;                   // return of each task's last event
    std::map<std::uint64_t, std::vector<std::size_t>> released;  // by key
  };
  struct Asked {
    Query query;
    std::size_t node;
  };
  struct Released {
    std::uint64_t key;
    std::size_t node;
  };

  const Event& add(int number, std::uint32_t task, bool acquires) {
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    const std::size_t start = before_.size();
    before_.resize(start + 2);
    before_[start + 1].push_back(start);
    if (const auto last = rank.last.find(task); last != rank.last.end())
      before_[start].push_back(last->second);
    rank.last[task] = start + 1;
    rank.events.push_back({task, rank.events.size(), start});
    rank.order.enter(task, timestamp_of(task, 2 * rank.events.back().number), acquires);
    return rank.events.back();
  }
  static Timestamp start_of(const Event& event) {
    return timestamp_of(event.task, 2 * event.number);
  }

  void release(int number, std::uint32_t task, std::uint64_t key) {
    const Event& event = add(number, task, false);
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    rank.order.release(task, key, start_of(event), false);
    rank.released[key].push_back(event.start);
  }
  void acquire(int number, std::uint32_t task, std::uint64_t key) {
    const Event& event = add(number, task, true);
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    rank.order.acquire(task, key);
    for (const std::size_t from : rank.released[key]) before_[event.start + 1].push_back(from);
  }
  void release(int number, std::uint32_t task) {
    const Event& event = add(number, task, false);
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    const std::uint64_t key = 2 * (released_.size() + 1);
    rank.order.send(task, start_of(event), 0);
    rank.edges.edges.push_back({start_of(event), key, false, 0, false, rank.order.known(task)});
    released_.push_back({key, event.start});
  }
  void acquire(int number, std::uint32_t task, const Released& released) {
    const Event& event = add(number, task, false);
    Rank& rank = ranks_[static_cast<std::size_t>(number)];
    rank.order.receive(task, start_of(event) + 1, 0);
    rank.edges.edges.push_back({start_of(event) + 1, released.key, true, kEveryPosition});
    before_[event.start + 1].push_back(released.node);
  }
  void ask(int number, std::uint32_t task) {
    const Event& event = add(number, task, false);
    const auto about = static_cast<int>(random_() % kRanks);
    const auto about_task = static_cast<std::uint32_t>(random_() % kTasks);
    if (about == number && about_task == task) return;
    const Knowledge known = ranks_[static_cast<std::size_t>(number)].order.known(task);
    asked_.push_back(
        {{WorldRank(number), start_of(event), WorldRank(about), about_task, known}, event.start});
  }

  bool reaches(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(before_.size());
    std::vector<std::size_t> open{to};
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      if (node == from) return true;
      if (seen[node]) continue;
      seen[node] = true;
      open.insert(open.end(), before_[node].begin(), before_[node].end());
    }
    return false;
  }

  std::mt19937& random_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<std::size_t>> before_;  // of each node
  std::vector<Released> released_;
  std::vector<Asked> asked_;
};

TEST(ResolveWithTasks, AgreesWithReachability) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 random(seed);
    World world(random);
    for (int step = 0; step < 80; ++step) world.step();
    world.compare();
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

}  // namespace
}  // namespace photofinish::testing
