#include "threads.h"
#include "frontend/mpi/meaning/meaning.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

namespace photofinish::testing {
namespace {

// A barrier that blocks: std::barrier spins, which is slow with more threads than cores.
class Meeting {
 public:
  explicit Meeting(int count) : count_(count) {}
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    if (++here_ == count_) {
      here_ = 0;
      ++times_;
      return all_here_.notify_all();
    }
    all_here_.wait(lock, [&, times = times_] { return times_ != times; });
  }

 private:
  const int count_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  int here_ = 0, times_ = 0;
};

struct Shared {
  explicit Shared(int count)
      : meeting(count),
        values(static_cast<std::size_t>(count)),
        message(static_cast<std::size_t>(count)) {}
  Meeting meeting;
  std::vector<std::vector<std::uint64_t>> values;
  std::mutex mutex;
  std::vector<std::vector<TransportMessage>> message;  // by receiver
};

class Threads final : public Transport {
 public:
  Threads(Shared& shared, int self) : shared_(shared), self_(self) {}
  int processes() const override { return static_cast<int>(shared_.values.size()); }
  int process() const override { return self_; }
  void sum(std::span<std::uint64_t> values) override {
    combine(values, [](std::uint64_t a, std::uint64_t b) { return a + b; });
  }
  void max(std::span<std::uint64_t> values) override {
    combine(values, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  }
  void exchange(const Next& next, const Take& take) override {
    int process = 0;
    for (TransportMessage message; next(process, message); message = {}) {
      const std::lock_guard lock(shared_.mutex);
      shared_.message.at(static_cast<std::size_t>(process)).push_back(std::move(message));
    }
    shared_.meeting.arrive_and_wait();
    for (TransportMessage& message :
         std::exchange(shared_.message[static_cast<std::size_t>(self_)], {}))
      take(std::move(message));
    shared_.meeting.arrive_and_wait();
  }

 private:
  template <class Combine>
  void combine(std::span<std::uint64_t> values, Combine two) {
    shared_.values[static_cast<std::size_t>(self_)].assign(values.begin(), values.end());
    shared_.meeting.arrive_and_wait();
    std::fill(values.begin(), values.end(), 0);
    for (const auto& theirs : shared_.values)
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = two(values[i], theirs[i]);
    shared_.meeting.arrive_and_wait();
  }

  Shared& shared_;
  const int self_;
};

}  // namespace

std::vector<RankInput> inputs_of(const Execution& execution, std::vector<std::size_t>& next,
                                 std::int32_t first, std::int32_t last) {
  std::vector<RankInput> inputs;
  for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
    const Execution::Rank& rank = execution.ranks[i];
    inputs.push_back(
        {rank.definitions.rank.rank, &rank.definitions, mpi_meaning_of, [&rank, &at = next[i]] {
           return at < rank.events.size() ? &rank.events[at++] : nullptr;
         }});
  }
  return inputs;
}

std::vector<Result<std::vector<Finding>>> analyze_each_with_threads(const Execution& execution,
                                                                    int processes,
                                                                    std::size_t memory,
                                                                    std::size_t period,
                                                                    const std::string& directory) {
  Shared shared(processes);
  const auto world_size = static_cast<std::int32_t>(execution.ranks.size());
  std::vector<std::size_t> next(execution.ranks.size());
  std::vector<std::optional<Result<std::vector<Finding>>>> results(
      static_cast<std::size_t>(processes));
  const auto run = [&](int process) {
    Threads transport(shared, process);
    const auto [first, last] = share_of(process, processes, world_size);
    results[static_cast<std::size_t>(process)] = analyze(
        inputs_of(execution, next, first, last), world_size, transport,
        {.rules = execution.options, .memory = memory, .directory = directory, .period = period});
  };
  std::vector<std::thread> threads;
  for (int process = 1; process < processes; ++process) threads.emplace_back(run, process);
  run(0);
  for (std::thread& thread : threads) thread.join();
  std::vector<Result<std::vector<Finding>>> all;
  for (auto& result : results) all.push_back(std::move(*result));
  return all;
}

std::vector<Finding> analyze_with_threads(const Execution& execution, int processes,
                                          std::size_t memory, std::size_t period) {
  auto results = analyze_each_with_threads(execution, processes, memory, period, "/tmp");
  for (std::size_t i = 1; i < results.size(); ++i) CHECK(results[i] && results[i]->empty());
  CHECK(results[0]);
  return std::move(*results[0]);
}

std::set<RacingPair> pairs_of(const std::vector<Finding>& findings) {
  std::set<RacingPair> pairs;
  for (const Finding& finding : findings)
    for (const WorldRank owner : finding.owners) {
      RacingSide one{finding.sides[0].rank.value, finding.sides[0].site, finding.sides[0].kind};
      RacingSide other{finding.sides[1].rank.value, finding.sides[1].site, finding.sides[1].kind};
      if (other < one) std::swap(one, other);
      pairs.insert({owner.value, one, other, finding.reason});
    }
  return pairs;
}

std::string difference(const std::set<RacingPair>& right, const std::set<RacingPair>& found) {
  std::ostringstream out;
  for (const RacingPair& pair : right)
    if (found.count(pair) == 0) out << "not found: " << text(pair);
  for (const RacingPair& pair : found)
    if (right.count(pair) == 0) out << "found, and is none: " << text(pair);
  return out.str();
}

}  // namespace photofinish::testing
