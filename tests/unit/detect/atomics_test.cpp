// Locks built from atomics order their critical sections under every delay of the ranks: inside an
// atomic before it takes effect, after it, briefly, or while the others make many iterations.
#include "detect/atomics.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "order/resolve.h"

namespace photofinish::testing {
namespace {

constexpr int kRanks = 4;
constexpr std::int64_t kNobody = -1;
constexpr Element kInteger{ElementKind::Integer, 8};

// Interleaves the ranks by a seed; a turn is half an atomic or less. Time is the number of turns.
class Cluster {
 public:
  explicit Cluster(unsigned seed) : random_(seed) {}

  struct Section {
    int rank;
    Timestamp begin, end;
  };

  void run(const std::function<void(Cluster&, int rank)>& program) {
    std::vector<std::thread> ranks;
    alive_.assign(kRanks, true);
    turn_ = draw();
    for (int rank = 0; rank < kRanks; ++rank)
      ranks.emplace_back([&, rank] {
        wait_for(rank);
        program(*this, rank);
        std::unique_lock lock(mutex_);
        alive_[rank] = false;
        turn_ = draw();
        changed_.notify_all();
      });
    for (std::thread& rank : ranks) rank.join();
  }

  std::int64_t atomic(int rank, std::uint64_t location, ReduceOp op, std::int64_t operand,
                      std::int64_t compare = 0, bool fetches = true) {
    AtomicOp made{.rank = WorldRank(rank),
                  .op = op,
                  .element = kInteger,
                  .fetches = fetches,
                  .has_result = fetches};
    made.operand = static_cast<std::uint64_t>(operand);
    made.compare = static_cast<std::uint64_t>(compare);
    made.clock_id = 1;
    made.begin = 2 * events_[rank]++;
    made.start = now_;
    pass(rank);
    std::uint64_t& value = values_[location];
    made.result = value;
    if (op == ReduceOp::CompareAndSwap)
      value = made.result == made.compare ? made.operand : value;
    else if (op == ReduceOp::Replace)
      value = made.operand;
    else if (op == ReduceOp::Sum)
      value += made.operand;
    pass(rank);
    made.done = now_;
    if (!fetches && late_) made.done = kNever;
    if (fetches) made.known = made.begin + 1, made.known_after = 0;
    ops_[location].push_back(made);
    pass(rank);
    return static_cast<std::int64_t>(made.result);
  }
  std::int64_t check(int rank, std::uint64_t location) {
    return atomic(rank, location, ReduceOp::NoOp, 0);
  }
  void set(int rank, std::uint64_t location, std::int64_t value) {
    atomic(rank, location, ReduceOp::Replace, value, 0, false);
  }
  // A store of the owner.
  void store(int rank, std::uint64_t location, std::int64_t value) {
    AtomicOp made{.rank = WorldRank(rank), .element = kInteger};
    made.begin = 2 * events_[rank]++;
    stores_.push_back({made, location, ops_[location].size()});
    ops_[location].push_back(made);
    hold(location, value);
    pass(rank);
  }
  // Atomics without a result are not completed.
  void complete_nothing() { late_ = true; }
  void hold(std::uint64_t location, std::int64_t value) {
    values_[location] = static_cast<std::uint64_t>(value);
  }

  void guarded(int rank) {
    const Timestamp begin = 2 * events_[rank]++;
    pass(rank);
    const Timestamp end = 2 * events_[rank]++ + 1;
    sections_.push_back({rank, begin, end});
  }

  // Whether each critical section is ordered before later ones, and each atomic before stores of
  // the owner.
  bool orders_sections() {
    order();
    return sections_in_order() && stores_in_order();
  }

 private:
  struct Stored {
    AtomicOp op;
    std::uint64_t location;
    std::size_t atomics;  // atomics on the location before it
  };

  void order() {
    for (int rank = 0; rank < kRanks; ++rank) ranks_.push_back({0, WorldRank(rank), {}});
    for (auto& [location, ops] : ops_) {
      AtomicValue value;
      for (const RankEdge& edge : edges_[location] = order_atomics(ops, location, value))
        ranks_[static_cast<std::size_t>(edge.rank.value)].edges.push_back(edge.edge);
    }
  }

  bool sections_in_order() const {
    std::vector<Query> queries;
    std::vector<Timestamp> least;
    for (std::size_t i = 0; i < sections_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        if (sections_[i].rank == sections_[j].rank) continue;
        queries.push_back(
            {WorldRank(sections_[i].rank), sections_[i].begin, WorldRank(sections_[j].rank)});
        least.push_back(sections_[j].end);
      }
    const std::vector<Timestamp> answers = resolve(ranks_, queries);
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (answers[i] == kNever || answers[i] < least[i]) return false;
    return true;
  }

  bool stores_in_order() const {
    for (const auto& [store, location, atomics] : stores_) {
      const Sightings sightings(edges_.at(location));
      for (std::size_t i = 0; i < atomics; ++i) {
        const AtomicOp& op = ops_.at(location)[i];
        if (op.rank == store.rank || op.op == ReduceOp::NoOp) continue;
        std::vector<Instant> over;
        sightings.add(op.rank, op.begin, Sightings::By::Others, over);
        if (op.done != kNever) over.push_back({op.rank, op.begin + 1, 0});
        const bool known = std::any_of(over.begin(), over.end(), [&](const Instant& end) {
          if (end.rank == store.rank) return end.timestamp < store.begin;
          const Timestamp answer = resolve(ranks_, {{store.rank, store.begin, end.rank}}).front();
          return answer != kNever && answer >= end.timestamp;
        });
        if (!known) return false;
      }
    }
    return true;
  }

  int draw() {
    std::vector<int> left;
    for (int rank = 0; rank < kRanks; ++rank)
      if (alive_[rank]) left.push_back(rank);
    // Some turns are long, as if the other ranks had no core.
    stay_ = random_() % 4 == 0 ? random_() % 200 : random_() % 5;
    return left.empty() ? -1 : left[random_() % left.size()];
  }
  void wait_for(int rank) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == rank; });
  }
  void pass(int rank) {
    ++now_;
    if (stay_ > 0) {
      --stay_;
      return;
    }
    {
      std::unique_lock lock(mutex_);
      turn_ = draw();
      changed_.notify_all();
    }
    wait_for(rank);
  }

  std::mt19937 random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> alive_;
  int turn_ = 0;
  unsigned stay_ = 0;
  std::uint64_t now_ = 1;
  std::map<int, Timestamp> events_;
  std::map<std::uint64_t, std::uint64_t> values_;
  std::map<std::uint64_t, std::vector<AtomicOp>> ops_;
  std::vector<Section> sections_;
  std::vector<Stored> stores_;
  bool late_ = false;
  // After they are ordered.
  std::vector<PhaseEdges> ranks_;
  std::map<std::uint64_t, std::vector<RankEdge>> edges_;
};

constexpr int kRounds = 6;

void spin_lock(Cluster& cluster, int rank) {
  for (int round = 0; round < kRounds; ++round) {
    while (cluster.atomic(rank, 0, ReduceOp::CompareAndSwap, 1, 0) != 0) {
    }
    cluster.guarded(rank);
    cluster.set(rank, 0, 0);
  }
}

void checking_spin_lock(Cluster& cluster, int rank) {
  for (int round = 0; round < kRounds; ++round) {
    do
      while (cluster.check(rank, 0) != 0) {
      }
    while (cluster.atomic(rank, 0, ReduceOp::Replace, 1) != 0);
    cluster.guarded(rank);
    cluster.atomic(rank, 0, ReduceOp::Replace, 0);
  }
}

void ticket_lock(Cluster& cluster, int rank) {
  for (int round = 0; round < kRounds; ++round) {
    const std::int64_t ticket = cluster.atomic(rank, 0, ReduceOp::Sum, 1);
    while (cluster.check(rank, 1) != ticket) {
    }
    cluster.guarded(rank);
    cluster.atomic(rank, 1, ReduceOp::Sum, 1, 0, false);
  }
}

using Write = void (Cluster::*)(int rank, std::uint64_t location, std::int64_t value);

// `own`: how a rank initializes its own entry.
void queue_lock_by(Cluster& cluster, int rank, Write own) {
  const auto next = [](std::int64_t of) { return 10 + static_cast<std::uint64_t>(of); };
  const auto blocked = [](std::int64_t of) { return 20 + static_cast<std::uint64_t>(of); };
  for (int round = 0; round < kRounds; ++round) {
    (cluster.*own)(rank, next(rank), kNobody);
    (cluster.*own)(rank, blocked(rank), 1);
    const std::int64_t before = cluster.atomic(rank, 0, ReduceOp::Replace, rank);
    if (before != kNobody) {
      cluster.set(rank, next(before), rank);
      while (cluster.check(rank, blocked(rank)) != 0) {
      }
    }
    cluster.guarded(rank);
    if (cluster.check(rank, next(rank)) == kNobody) {
      if (cluster.atomic(rank, 0, ReduceOp::CompareAndSwap, kNobody, rank) == rank) continue;
      while (cluster.check(rank, next(rank)) == kNobody) {
      }
    }
    cluster.set(rank, blocked(cluster.check(rank, next(rank))), 0);
  }
}

void queue_lock(Cluster& cluster, int rank) { queue_lock_by(cluster, rank, &Cluster::set); }
void queue_lock_with_stores(Cluster& cluster, int rank) {
  queue_lock_by(cluster, rank, &Cluster::store);
}

// A rank waits until its flag is set, clears it, and sets the flag of the next rank.
void flags_by(Cluster& cluster, int rank, Write take_down) {
  for (int round = 0; round < kRounds; ++round) {
    const auto own = static_cast<std::uint64_t>(rank),
               next = static_cast<std::uint64_t>((rank + 1) % kRanks);
    if (rank > 0 || round > 0)
      while (cluster.check(rank, own) == 0) {
      }
    (cluster.*take_down)(rank, own, 0);
    cluster.guarded(rank);
    cluster.set(rank, next, 1);
  }
}
void flags(Cluster& cluster, int rank) { flags_by(cluster, rank, &Cluster::set); }
void flags_with_stores(Cluster& cluster, int rank) { flags_by(cluster, rank, &Cluster::store); }
void late_flags_with_stores(Cluster& cluster, int rank) {
  cluster.complete_nothing();
  flags_with_stores(cluster, rank);
}

// One word holds the rank whose turn it is.
void turns(Cluster& cluster, int rank) {
  for (int round = 0; round < kRounds; ++round) {
    while (cluster.check(rank, 0) != rank) {
    }
    cluster.guarded(rank);
    cluster.set(rank, 0, (rank + 1) % kRanks);
  }
}

struct Lock {
  const char* name;
  void (*program)(Cluster&, int);
  friend void PrintTo(const Lock& lock, std::ostream* out) { *out << lock.name; }
};
class HandMadeLock : public ::testing::TestWithParam<Lock> {};

TEST_P(HandMadeLock, OrdersWhatItGuards) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    Cluster cluster(seed);
    const auto program = GetParam().program;
    if (program == queue_lock || program == queue_lock_with_stores) cluster.hold(0, kNobody);
    cluster.run(program);
    ASSERT_TRUE(cluster.orders_sections()) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Atomics, HandMadeLock,
                         ::testing::Values(Lock{"spin", spin_lock},
                                           Lock{"looking_spin", checking_spin_lock},
                                           Lock{"ticket", ticket_lock}, Lock{"queue", queue_lock},
                                           Lock{"flags", flags}, Lock{"turns", turns},
                                           Lock{"queue_with_stores", queue_lock_with_stores},
                                           Lock{"flags_with_stores", flags_with_stores},
                                           Lock{"late_flags_with_stores", late_flags_with_stores}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace photofinish::testing
