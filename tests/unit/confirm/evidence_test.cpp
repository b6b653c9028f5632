#include "confirm/evidence.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

using Lines = std::vector<std::string>;

Outcome run_that_prints(Lines lines, int code = 0) {
  return {.code = code,
          .how = "exit code " + std::to_string(code),
          .lines = std::move(lines),
          .files = {}};
}

// Evidence with two orders; each call adds runs of an order that saw the race.
struct EvidenceTest : testing::Test {
  Evidence evidence{.orders = 2, .optional = {}, .control = {}, .trials = {}};
  void control(const Lines& values) {
    for (const std::string& value : values) evidence.control.push_back(run_that_prints({value}));
  }
  void runs(std::size_t order, const Lines& values, Scope scope = Scope::One, bool forced = true) {
    for (const std::string& value : values)
      evidence.trials.push_back({order, scope, true, forced, run_that_prints({value})});
  }
  void fails(std::size_t order, int times, int code) {
    for (int i = 0; i < times; ++i)
      evidence.trials.push_back({order, Scope::One, true, true, run_that_prints({}, code)});
  }
  std::vector<CountedOutcome> counted(std::size_t order) const {
    return count_outcomes(outcomes_of(evidence, order, Scope::One),
                          differing_groups(evidence, judge(evidence, 3, 0), 0));
  }
  ConfirmState state() const { return judge(evidence, 3, 0).state; }
};

TEST_F(EvidenceTest, ADifferenceInEveryRepetitionIsHarmful) {
  runs(0, {"got 7", "got 7", "got 7"});
  runs(1, {"got 0", "got 0", "got 0"});
  const Judgement judgement = judge(evidence, 3, 0);
  EXPECT_EQ(judgement.state, ConfirmState::Harmful);
  EXPECT_EQ(judgement.difference.only_one, Lines{"got 7"});
  EXPECT_EQ(judgement.difference.only_other, Lines{"got 0"});
  EXPECT_EQ(differing_runs(evidence, Scope::One, 0), 3u);
}

TEST_F(EvidenceTest, TooFewRepetitionsAreNotHarmful) {
  runs(0, {"got 7", "got 7", "got 7"});
  runs(1, {"got 0", "got 0"});
  EXPECT_EQ(state(), ConfirmState::Unstable);
}

TEST_F(EvidenceTest, OtherFindingsThatAreNotHeldNeedMoreRuns) {
  runs(0, {"got 7", "got 7", "got 7"});
  runs(1, {"got 0", "got 0", "got 0"});
  EXPECT_EQ(needed_runs(evidence, Scope::One, 3, 0), 3u);
  for (Trial& trial : evidence.trials) trial.alone = false;
  EXPECT_EQ(needed_runs(evidence, Scope::One, 3, 0), 5u);
  EXPECT_EQ(needed_runs(evidence, Scope::One, 10, 0), 10u);
  EXPECT_EQ(needed_runs(evidence, Scope::Every, 3, 0), 3u);
  EXPECT_EQ(state(), ConfirmState::Unstable);
  runs(0, {"got 7", "got 7"});
  runs(1, {"got 0", "got 0"});
  EXPECT_EQ(state(), ConfirmState::Harmful);
  evidence.orders = 5;
  EXPECT_EQ(needed_runs(evidence, Scope::One, 3, 0), 6u) << "more pairs of orders";
}

// The slow twin: all results of n runs of each of two orders, from values that no order influences.
TEST_F(EvidenceTest, ByChanceFewResultsOfTheNeededRunsDiffer) {
  control({"got 7", "got 0"});
  const std::size_t n = needed_runs(evidence, Scope::One, 1, 0);
  for (const double p : {0.5, 0.4, 0.2, 0.05}) {
    double chance = 0;
    for (std::uint32_t results = 0; results < 1u << 2 * n; ++results) {
      evidence.trials.clear();
      double probability = 1;
      for (std::size_t run = 0; run < 2 * n; ++run) {
        const bool is_one = (results >> run & 1) != 0;
        probability *= is_one ? p : 1 - p;
        runs(run / n, {is_one ? "got 7" : "got 0"});
      }
      if (judge(evidence, 1, 0).state == ConfirmState::Harmful) chance += probability;
    }
    EXPECT_LE(chance, 0.01) << p;
    EXPECT_GT(chance, 0) << p;
  }
}

TEST_F(EvidenceTest, RunsThatAreNotComparedShowOnlyThatOutcomesVary) {
  runs(0, {"x", "x", "x"});
  runs(1, {"x", "x", "x"});
  evidence.trials.push_back({0, Scope::One, true, true, run_that_prints({"x"}), true, false});
  EXPECT_EQ(state(), ConfirmState::SameOutcome);
  EXPECT_EQ(outcomes_of(evidence, 0, Scope::One).size(), 3u);
  evidence.trials.back().outcome.lines = {"y"};
  EXPECT_EQ(state(), ConfirmState::Unstable);
  for (Trial& trial : evidence.trials) trial.compared = false;
  evidence.trials.back().outcome.lines = {"x"};
  EXPECT_EQ(state(), ConfirmState::EffectUnknown);
}

TEST_F(EvidenceTest, OneRepetitionNeedsAControlRunWithOneOfTheValues) {
  runs(0, {"got 7"});
  runs(1, {"got 0"});
  EXPECT_EQ(judge(evidence, 1, 0).state, ConfirmState::Harmful);
  evidence.control.push_back({.how = "exited with 0", .lines = {"got 0"}, .files = {}});
  EXPECT_EQ(judge(evidence, 1, 0).state, ConfirmState::Harmful);
  evidence.control.front().lines = {"got 3"};  // such as a process number
  EXPECT_EQ(judge(evidence, 1, 0).state, ConfirmState::Unstable);
}

TEST_F(EvidenceTest, AValueThatVariesWithinAnOrderIsUnstable) {
  runs(0, {"sum 570", "sum 570", "sum 560"});
  runs(1, {"sum 600", "sum 600", "sum 600"});
  EXPECT_EQ(state(), ConfirmState::Unstable);
  EXPECT_EQ(counted(0), (std::vector<CountedOutcome>{{"sum 570", 2}, {"sum 560", 1}}));
}

TEST_F(EvidenceTest, AWordThatVariesWithinAnOrderIsUnstable) {
  runs(0, {"PASS", "PASS", "FAIL"});
  runs(1, {"FAIL", "FAIL", "FAIL"});
  EXPECT_EQ(state(), ConfirmState::Unstable);
}

TEST_F(EvidenceTest, TimestampsBesideADifferenceDoNotHideIt) {
  for (int i = 0; i < 5; ++i) {
    const std::string time = "time 0.0" + std::to_string(i);
    evidence.trials.push_back({0, Scope::One, true, true, run_that_prints({time, "sum 6"})});
    evidence.trials.push_back({1, Scope::One, true, true, run_that_prints({time + "7", "sum 4"})});
  }
  const Judgement judgement = judge(evidence, 3, 0);
  EXPECT_EQ(judgement.state, ConfirmState::Harmful);
  EXPECT_EQ(judgement.difference.only_one, Lines{"sum 6"});
  EXPECT_EQ(judgement.difference.only_other, Lines{"sum 4"});
  EXPECT_EQ(counted(0), (std::vector<CountedOutcome>{{"sum 6", 5}})) << "without the time";
}

TEST_F(EvidenceTest, AnOrderThatAlwaysFailsIsHarmful) {
  fails(0, 4, 139);
  fails(0, 1, 134);
  runs(1, Lines(5, "ok"));
  EXPECT_EQ(state(), ConfirmState::Harmful);
}

TEST_F(EvidenceTest, AnOrderThatFailsSometimesIsUnstable) {
  fails(0, 1, 139);
  runs(0, {"ok", "ok"});
  runs(1, {"ok", "ok", "ok"});
  EXPECT_EQ(state(), ConfirmState::Unstable);
}

TEST_F(EvidenceTest, SameOutcomeNeedsEveryOrderForcedInEveryRepetition) {
  runs(0, {"x", "x", "x"});
  runs(1, {"x", "x"});
  EXPECT_EQ(state(), ConfirmState::EffectUnknown) << "two repetitions";
  runs(1, {"x"});
  EXPECT_EQ(state(), ConfirmState::SameOutcome);
  runs(1, {"x"}, Scope::One, false);
  EXPECT_EQ(state(), ConfirmState::EffectUnknown) << "one was not forced";
}

TEST_F(EvidenceTest, SameOutcomeNeedsEveryInstance) {
  runs(0, {"x", "x", "x"});
  runs(1, {"x", "x", "x"});
  evidence.instances_untried = true;
  EXPECT_EQ(state(), ConfirmState::EffectUnknown);
  evidence.control.push_back(run_that_prints({"y"}));
  EXPECT_EQ(state(), ConfirmState::Unstable);
}

TEST_F(EvidenceTest, OneOrderAloneComparesNothing) {
  runs(0, {"x", "x", "x"});
  EXPECT_EQ(state(), ConfirmState::EffectUnknown);
}

TEST_F(EvidenceTest, AControlRunThatDiffersForbidsSameOutcome) {
  runs(0, {"x", "x", "x"});
  runs(1, {"x", "x", "x"});
  control({"x", "x", "y"});
  EXPECT_EQ(state(), ConfirmState::Unstable);
}

TEST_F(EvidenceTest, ARunThatMissedTheRaceForbidsSameOutcomeToo) {
  runs(0, {"x", "x", "x"});
  runs(1, {"x", "x", "x"});
  evidence.trials.push_back({1, Scope::One, false, false, run_that_prints({"y"})});
  EXPECT_EQ(state(), ConfirmState::Unstable);
}

TEST_F(EvidenceTest, DifferencesWithoutForceAreNotHarmful) {
  runs(0, {"got 7", "got 7", "got 7"}, Scope::One, false);
  runs(1, {"got 0", "got 0", "got 0"});
  EXPECT_EQ(state(), ConfirmState::Unstable);
}

TEST_F(EvidenceTest, AnOrderInEveryInstanceDecidesWhereOneInstanceVaries) {
  runs(0, {"sum 570", "sum 560", "sum 580"});
  runs(1, {"sum 600", "sum 580", "sum 570"});
  runs(0, Lines(4, "sum 10"), Scope::Every);
  runs(1, Lines(5, "sum 600"), Scope::Every);
  EXPECT_EQ(state(), ConfirmState::Unstable) << "too few: something varies";
  runs(0, {"sum 10"}, Scope::Every);
  const Judgement judgement = judge(evidence, 3, 0);
  EXPECT_EQ(judgement.state, ConfirmState::Harmful);
  EXPECT_EQ(judgement.scope, Scope::Every);
}

TEST_F(EvidenceTest, EveryScopeThatWasTriedMustBeForced) {
  runs(0, {"x", "x", "x"});
  runs(1, {"x", "x", "x"});
  runs(0, {"x", "x", "x"}, Scope::Every);
  EXPECT_EQ(state(), ConfirmState::EffectUnknown) << "order 2 of every instance";
}

TEST_F(EvidenceTest, AnOptionalOrderThatNeverHappensDoesNotCount) {
  evidence.orders = 3;
  runs(0, {"x", "x", "x"});
  runs(1, {"x", "x", "x"});
  EXPECT_EQ(state(), ConfirmState::EffectUnknown);
  evidence.optional = {2};
  EXPECT_EQ(state(), ConfirmState::SameOutcome);
  runs(2, {"x"});
  EXPECT_EQ(state(), ConfirmState::EffectUnknown) << "it happened, in one repetition";
}

TEST_F(EvidenceTest, WithoutAnySightingItIsNotReproduced) {
  evidence.trials.push_back({0, Scope::One, false, false, run_that_prints({"x"})});
  evidence.trials.push_back({1, Scope::One, false, false, run_that_prints({"y"})});
  control({"z"});
  EXPECT_EQ(state(), ConfirmState::NotReproduced);
}

TEST_F(EvidenceTest, TheToleranceHolds) {
  runs(0, {"sum 1.0000001", "sum 1.0000002", "sum 1.0000001"});
  runs(1, {"sum 1.0000003", "sum 1.0000001", "sum 1.0000002"});
  EXPECT_EQ(judge(evidence, 3, 1e-5).state, ConfirmState::SameOutcome);
  EXPECT_EQ(judge(evidence, 3, 0).state, ConfirmState::Unstable);
}

TEST_F(EvidenceTest, VariationWithinOneKindOfRun) {
  runs(0, {"7", "7"});
  runs(1, {"0", "0"});
  control({"7", "7"});
  EXPECT_FALSE(varies_within(evidence, 0));
  EXPECT_TRUE(varies(evidence, 0));
  control({"0"});
  EXPECT_TRUE(varies_within(evidence, 0));
}

TEST_F(EvidenceTest, OutcomesInWordsNameWhatDiffers) {
  evidence.trials.push_back({0, Scope::One, true, true, run_that_prints({"hello", "sum 6"})});
  evidence.trials.push_back({0, Scope::One, true, true, run_that_prints({"hello"}, 3)});
  evidence.trials.push_back({0, Scope::One, true, true, run_that_prints({"hello"})});
  EXPECT_EQ(counted(0),
            (std::vector<CountedOutcome>{{"sum 6", 1}, {"exit code 3", 1}, {"exit code 0", 1}}));
}

}  // namespace
}  // namespace photofinish
