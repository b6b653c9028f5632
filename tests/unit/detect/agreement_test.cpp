// Compares analyze() with the oracle, on hand-made executions and on random ones of every focus.
//
// PHOTOFINISH_RANDOM_EXECUTIONS: their total number (default 20000). PHOTOFINISH_RANDOM_SEED: the
// seed (default 1).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "cases.h"
#include "detect/analysis.h"
#include "oracle.h"
#include "random_executions.h"
#include "simulator.h"
#include "tasks.h"
#include "threads.h"

namespace photofinish::testing {
namespace {

// One period for the whole execution, or one at each sync point.
enum Periods : std::size_t { kOne = std::size_t{1} << 18, kMany = 0 };

std::set<RacingPair> analyzed(const Execution& execution, Periods periods) {
  std::vector<std::size_t> next(execution.ranks.size());
  std::vector<RankInput> inputs =
      inputs_of(execution, next, 0, static_cast<std::int32_t>(execution.ranks.size()));
  return pairs_of(analyze(std::move(inputs), execution.options, periods));
}

TEST(Agreement, HandMadeCases) {
  for (const Case& one : hand_made_cases())
    for (const Periods periods : {kOne, kMany}) {
      const std::set<RacingPair> found = analyzed(one.execution, periods);
      EXPECT_TRUE(events_of(found) == one.races)
          << one.name << '\n'
          << difference(judge(one.execution).races, found) << text(one.execution);
    }
}

void agree(Focus focus) {
  int racing = 0, free = 0, open = 0, hidden = 0;
  const auto property = [&] {
    const Program program = *programs(focus);
    const Execution execution = simulate(program).execution;
    const Verdict verdict = judge(execution);
    if (!verdict.open.empty()) {
      ++open;
      return;
    }
    ++(verdict.races.empty() ? free : racing);
    const std::set<RacingPair> found = analyzed(execution, kOne);
    if (found != verdict.races) RC_FAIL(difference(verdict.races, found));
    // With a period at each sync point, information that is only known after the sync point may
    // hide a race (a documented limit). It must never add one.
    const std::set<RacingPair> found_early = analyzed(execution, kMany);
    if (found_early != verdict.races) ++hidden;
    if (!std::includes(verdict.races.begin(), verdict.races.end(), found_early.begin(),
                       found_early.end()))
      RC_FAIL("with a period at each cut: " + difference(verdict.races, found_early));
  };
  hold_for_random_executions(name_of(focus), std::size(kFocuses), property);
  std::cout << racing << " with races, " << free << " without, " << open
            << " left open by the page, in " << hidden << " a cut hid some\n";
  EXPECT_LE(hidden * 500, racing);
}

// Ranks with threads. A task that communicates is taken to know all sync points of its rank, and a
// flush to complete what its task may know by way of other ranks: that may hide a race, and must
// never invent one.
void agree_with_tasks(Focus focus) {
  int racing = 0, free = 0, hidden = 0;
  const auto property = [&] {
    const Program program = *programs(focus);
    const Execution execution = with_tasks(simulate(program).execution,
                                           *rc::gen::noShrink(rc::gen::arbitrary<std::uint32_t>()));
    const Verdict verdict = judge(execution);
    RC_ASSERT(verdict.open.empty());
    ++(verdict.races.empty() ? free : racing);
    const std::set<RacingPair> found = analyzed(execution, kOne);
    if (found != verdict.races) ++hidden;
    if (!std::includes(verdict.races.begin(), verdict.races.end(), found.begin(), found.end()))
      RC_FAIL(difference(verdict.races, found) + text(execution));
    const std::set<RacingPair> found_early = analyzed(execution, kMany);
    if (!std::includes(verdict.races.begin(), verdict.races.end(), found_early.begin(),
                       found_early.end()))
      RC_FAIL("with a period at each cut: " + difference(verdict.races, found_early) +
              text(execution));
  };
  hold_for_random_executions(std::string("tasks, ") + name_of(focus), 4 * std::size(kFocuses),
                             property);
  std::cout << racing << " with races, " << free << " without, in " << hidden
            << " one was not found\n";
  // Random tasks do not serialize their collective calls, as programs have to: the tool takes these
  // calls as ordered, and does not find races that such an order would exclude.
  EXPECT_LE(hidden * 7, racing);
}

TEST(AgreementWithTasks, Locks) { agree_with_tasks(Focus::Locks); }
TEST(AgreementWithTasks, Fences) { agree_with_tasks(Focus::Fences); }
TEST(AgreementWithTasks, Epochs) { agree_with_tasks(Focus::Epochs); }
TEST(AgreementWithTasks, Messages) { agree_with_tasks(Focus::Messages); }
TEST(AgreementWithTasks, SplitPhase) { agree_with_tasks(Focus::SplitPhase); }
TEST(AgreementWithTasks, Datatypes) { agree_with_tasks(Focus::Datatypes); }
TEST(AgreementWithTasks, Buffers) { agree_with_tasks(Focus::Buffers); }

TEST(Agreement, Everything) { agree(Focus::Everything); }
TEST(Agreement, Locks) { agree(Focus::Locks); }
TEST(Agreement, Fences) { agree(Focus::Fences); }
TEST(Agreement, Epochs) { agree(Focus::Epochs); }
TEST(Agreement, Messages) { agree(Focus::Messages); }
TEST(Agreement, SplitPhase) { agree(Focus::SplitPhase); }
TEST(Agreement, Atomics) { agree(Focus::Atomics); }
TEST(Agreement, Datatypes) { agree(Focus::Datatypes); }
TEST(Agreement, Buffers) { agree(Focus::Buffers); }

}  // namespace
}  // namespace photofinish::testing
