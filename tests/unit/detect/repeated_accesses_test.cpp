// Repeated accesses are checked as one group (detect/repeated_accesses.h). The findings must equal
// those of checking each pair. Pairs are checked one by one in executions in which every event has
// its own access site, which agreement_test.cpp compares with the oracle.
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

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr SiteId kPosition{1};

// Gives all events one access site, the same on all ranks.
Execution at_one_position(Execution execution) {
  for (Execution::Rank& rank : execution.ranks) {
    rank.definitions.sites = {{kPosition, {kPosition, {{ModuleId(1), 7}}}}};
    for (Event& event : rank.events) event.site = kPosition;
  }
  return execution;
}

std::vector<Finding> at_one_position(std::vector<Finding> findings, std::uint64_t key) {
  for (Finding& finding : findings)
    for (FindingSide& side : finding.sides) {
      side.site = kPosition;
      side.site_key = key;
      for (SiteId* site : {&side.opened, &side.closed})
        if (*site != SiteId()) *site = kPosition;
    }
  return merge_findings(std::move(findings));
}

std::string text_of_series(const std::vector<Finding>& findings) {
  std::ostringstream out;
  for (const Finding& f : findings)
    out << "  owner " << f.owner.value << " ranks " << f.sides[0].rank.value << ','
        << f.sides[1].rank.value << " begins " << f.sides[0].begin << ',' << f.sides[1].begin
        << " ends " << f.sides[0].end << ',' << f.sides[1].end << " at " << f.where.begin << ".."
        << f.where.end << " reason " << static_cast<int>(f.reason) << " times " << f.times << '\n';
  return out.str();
}

// Returns how often one finding stood for several pairs.
int compare_series(const Execution& execution,
                   const std::function<void(const std::string&)>& fail) {
  int repeated = 0;
  const Execution coarse = at_one_position(execution);
  for (const std::size_t period : {kAll, std::size_t{1}})
    for (const std::size_t memory : {kAll, std::size_t{1}}) {
      const std::vector<Finding> found = analyze_with_threads(coarse, 1, memory, period);
      const std::uint64_t key = found.empty() ? 0 : found.front().sides[0].site_key;
      const std::vector<Finding> right =
          at_one_position(analyze_with_threads(execution, 1, memory, period), key);
      for (const Finding& finding : found) repeated += finding.times > 1 ? 1 : 0;
      if (found != right)
        fail("each by itself:\n" + text_of_series(right) + "together:\n" + text_of_series(found) +
             text(execution));
    }
  return repeated;
}

TEST(RepeatedAccess, HandMadeCases) {
  for (const Case& one : hand_made_cases())
    compare_series(one.execution, [&](const std::string& difference) {
      ADD_FAILURE() << one.name << '\n' << difference;
    });
}

void agree_on_series(Focus focus) {
  int repeated = 0;
  const auto property = [&] {
    repeated += compare_series(simulate(*programs(focus)).execution,
                               [](const std::string& difference) { RC_FAIL(difference); });
  };
  hold_for_random_executions(name_of(focus), 2 * std::size(kFocuses), property);
  EXPECT_GT(repeated, 0);
}

TEST(RepeatedAccess, Everything) { agree_on_series(Focus::Everything); }
TEST(RepeatedAccess, Locks) { agree_on_series(Focus::Locks); }
TEST(RepeatedAccess, Fences) { agree_on_series(Focus::Fences); }
TEST(RepeatedAccess, Epochs) { agree_on_series(Focus::Epochs); }
TEST(RepeatedAccess, Messages) { agree_on_series(Focus::Messages); }
TEST(RepeatedAccess, SplitPhase) { agree_on_series(Focus::SplitPhase); }
TEST(RepeatedAccess, Atomics) { agree_on_series(Focus::Atomics); }
TEST(RepeatedAccess, Datatypes) { agree_on_series(Focus::Datatypes); }
TEST(RepeatedAccess, Buffers) { agree_on_series(Focus::Buffers); }

// A loop on each of three ranks, without a sync point: 4 · 10^8 pairs, in one or two seconds.
TEST(RepeatedAccess, LoopsWithoutSyncPoints) {
  constexpr std::uint64_t kTimes = 20000;
  Script s(3);
  const WinRef w = s.window();
  for (int rank = 0; rank < 3; ++rank) s.lock_all(rank, w);
  for (std::uint64_t i = 0; i < kTimes; ++i)
    for (int rank = 1; rank < 3; ++rank) {
      s.put(rank, w, 0, 0, 8);
      s.window_call(rank, MpiCall::MPI_Win_flush, w, 0);
    }
  for (int rank = 0; rank < 3; ++rank) s.window_call(rank, MpiCall::MPI_Win_unlock_all, w);
  const std::vector<Finding> findings =
      analyze_with_threads(at_one_position(s.execution()), 1, kAll, kAll);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].times, kTimes * kTimes);
}

// Under an exclusive lock: no pair races, and the pairs of a rank are not checked one by one.
TEST(RepeatedAccess, LoopsUnderALock) {
  Script s(3);
  const WinRef w = s.window();
  for (int i = 0; i < 20000; ++i)
    for (int rank = 1; rank < 3; ++rank) {
      s.lock(rank, w, 0, true);
      s.get(rank, w, 0, 0, 8);
      s.window_call(rank, MpiCall::MPI_Win_flush, w, 0);
      s.put(rank, w, 0, 0, 8);
      s.window_call(rank, MpiCall::MPI_Win_unlock, w, 0);
    }
  EXPECT_TRUE(analyze_with_threads(at_one_position(s.execution()), 1, kAll, kAll).empty());
}

}  // namespace
}  // namespace photofinish::testing
