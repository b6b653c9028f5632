// The analysis with limited memory, and by several processes. The findings must equal those of one
// process with unlimited memory, which agreement_test.cpp compares with the oracle: with one
// period, and with one at each sync point.
//
// PHOTOFINISH_RANDOM_EXECUTIONS and PHOTOFINISH_RANDOM_SEED as in agreement_test.cpp.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <sstream>

#include "cases.h"
#include "detect/analysis.h"
#include "frontend/mpi/table/mpi_call.h"
#include "random_executions.h"
#include "simulator.h"
#include "threads.h"

namespace photofinish::testing {
namespace {

// As text, to show differences.
std::string text_of(const std::vector<Finding>& findings) {
  std::ostringstream out;
  for (const Finding& f : findings)
    out << "  owner " << f.owner.value << " ranks " << f.sides[0].rank.value << ','
        << f.sides[1].rank.value << " begins " << f.sides[0].begin << ',' << f.sides[1].begin
        << " at " << f.where.begin << ".." << f.where.end << " reason "
        << static_cast<int>(f.reason) << " times " << f.times << '\n';
  return out.str();
}

// Bytes of memory, processes. 1: everything goes through the file, and the memory of each owner is
// checked in many address shards.
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
struct Way {
  std::size_t memory;
  int processes;
};
constexpr Way kWays[] = {{1, 1}, {2000, 1}, {kAll, 2}, {kAll, 3}, {1, 2}, {3000, 5}};

void compare(const Execution& execution, const std::function<void(const std::string&)>& fail) {
  for (const std::size_t period : {kAll, std::size_t{1}}) {
    const std::vector<Finding> right = analyze_with_threads(execution, 1, kAll, period);
    for (const Way& way : kWays) {
      const std::vector<Finding> found =
          analyze_with_threads(execution, way.processes, way.memory, period);
      if (found == right) continue;
      fail("memory " + std::to_string(way.memory) + ", processes " + std::to_string(way.processes) +
           (period == 1 ? ", a period a cut" : "") + "\nwithout a limit, in one process:\n" +
           text_of(right) + "otherwise:\n" + text_of(found));
    }
  }
}

TEST(Limits, HandMadeCases) {
  for (const Case& one : hand_made_cases())
    compare(one.execution, [&](const std::string& difference) {
      ADD_FAILURE() << one.name << '\n' << difference;
    });
}

void agree(Focus focus) {
  const auto property = [&] {
    compare(simulate(*programs(focus)).execution,
            [](const std::string& difference) { RC_FAIL(difference); });
  };
  hold_for_random_executions(name_of(focus), 10 * std::size(kFocuses), property);
}

TEST(Limits, Everything) { agree(Focus::Everything); }
TEST(Limits, Locks) { agree(Focus::Locks); }
TEST(Limits, Fences) { agree(Focus::Fences); }
TEST(Limits, Epochs) { agree(Focus::Epochs); }
TEST(Limits, Messages) { agree(Focus::Messages); }
TEST(Limits, SplitPhase) { agree(Focus::SplitPhase); }
TEST(Limits, Atomics) { agree(Focus::Atomics); }
TEST(Limits, Datatypes) { agree(Focus::Datatypes); }
TEST(Limits, Buffers) { agree(Focus::Buffers); }

// The value of a counter is carried from one period to the next. If each shard counted an update, a
// later read would be matched too early.
TEST(Limits, AnUpdateCountsInOneShard) {
  Script s(3);
  const WinRef w = s.window();
  const TypeRef type = s.type("MPI_INT64_T");
  constexpr std::uint64_t kCounter = 56;
  const auto check = [&](std::uint64_t seen) {
    const Ref fetch = s.fetch(1, w, 2, kCounter, type, "MPI_NO_OP");
    s.result(s.window_call(1, MpiCall::MPI_Win_flush, w, 2), fetch, seen);
  };
  for (int rank = 0; rank < 3; ++rank) s.lock_all(rank, w);
  check(5);
  s.barrier();
  s.put(0, w, 2, 0, 8);
  s.window_call(0, MpiCall::MPI_Win_flush, w, 2);
  s.accumulate(0, w, 2, kCounter, type, "MPI_SUM", 1);
  check(6);
  s.put(1, w, 2, 0, 8);
  for (int rank = 0; rank < 3; ++rank) s.window_call(rank, MpiCall::MPI_Win_unlock_all, w);
  const Execution& execution = s.execution();
  for (const std::size_t period : {kAll, std::size_t{1}})
    for (const Way& way : kWays)
      EXPECT_EQ(text_of(analyze_with_threads(execution, way.processes, way.memory, period)), "");
}

// All processes return an Error, and one of them has the reason.
TEST(Limits, NoRoomForWhatDoesNotFit) {
  const Execution execution = hand_made_cases().front().execution;
  int released = 0;
  for (const auto& result : analyze_each_with_threads(execution, 2, 1, kAll, "/nonexistent")) {
    ASSERT_FALSE(result);
    released += result.error().message.empty() ? 0 : 1;
  }
  EXPECT_EQ(released, 1);
}

TEST(Limits, Shares) {
  for (const int processes : {1, 2, 3, 7, 20})
    for (const std::int32_t world : {1, 5, 7, 64}) {
      std::int32_t next = 0;
      for (int process = 0; process < processes; ++process) {
        const auto [first, last] = share_of(process, processes, world);
        EXPECT_EQ(first, next);
        EXPECT_LE(last - first, world / processes + 1);
        next = last;
      }
      EXPECT_EQ(next, world);
    }
}

}  // namespace
}  // namespace photofinish::testing
