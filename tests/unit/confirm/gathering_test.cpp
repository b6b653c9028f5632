// Simulated programs with known races: is the state that confirm would report right?
#include "confirm/gathering.h"

#include <gtest/gtest.h>

#include <random>

namespace photofinish {
namespace {

constexpr std::size_t kRepetitions = 3;

struct SimulatedRace {
  bool has_effect = false;
  bool sums = false;        // its effect is part of a sum over races; else it prints its own line
  bool holdable = false;    // together with the tried race
  double probability = 0;   // of order 1 in a run that does not steer it
  double loses_hold = 0;    // the probability that a run does not hold it
  bool keeps_away = false;  // while it is held, the tried race does not happen
};

// The outcome of a run from the order of each race. Weights keep effects from canceling out.
Outcome outcome_of(const std::vector<SimulatedRace>& races, const std::vector<int>& orders) {
  Outcome outcome{.how = "exit code 0", .lines = {}, .files = {}};
  int sum = 0;
  for (std::size_t i = 0; i < races.size(); ++i) {
    if (!races[i].has_effect) continue;
    if (races[i].sums)
      sum += orders[i] << i;
    else
      outcome.lines.push_back("rank " + std::string(1, static_cast<char>('a' + i)) + " got " +
                              std::to_string(orders[i]));
  }
  outcome.lines.push_back("sum " + std::to_string(sum));
  return outcome;
}

// Race 0 is tried.
class SimulatedRuns : public TrialRuns {
 public:
  SimulatedRuns(std::vector<SimulatedRace> races, std::minstd_rand& random)
      : races_(std::move(races)), random_(random) {
    for (std::size_t i = 1; i < races_.size(); ++i)
      if (races_[i].holdable) held_.push_back(i);
  }

  Outcome control() { return outcome_of(races_, by_chance()); }
  Result<Trial> run(std::size_t order, Scope scope, std::uint32_t attempt) override {
    ++runs;
    const bool holds = scope == Scope::One && attempt == 0;
    std::vector<int> orders = by_chance();
    lost_.clear();
    bool seen = true;
    for (const std::size_t other : holds ? held_ : std::vector<std::size_t>()) {
      if (flip(races_[other].loses_hold))
        lost_.push_back(other);
      else
        orders[other] = 0;
      seen = seen && !races_[other].keeps_away;
    }
    if (seen) orders[0] = static_cast<int>(order);
    const bool as_held = lost_.empty();
    if (!seen) lost_ = held_;
    return Trial{.order = order,
                 .scope = scope,
                 .seen = seen,
                 .forced = seen,
                 .outcome = outcome_of(races_, orders),
                 .alone = held_.size() + 1 == races_.size(),
                 .compared = as_held && (holds || held_.empty())};
  }
  bool drop_lost() override {
    return std::erase_if(held_, [&](std::size_t other) {
             return std::find(lost_.begin(), lost_.end(), other) != lost_.end();
           }) > 0;
  }
  Instances instances() const override { return Instances::Single; }

  std::size_t runs = 0;

 private:
  bool flip(double probability) {
    return std::uniform_real_distribution<double>()(random_) < probability;
  }
  std::vector<int> by_chance() {
    std::vector<int> orders;
    for (const SimulatedRace& race : races_) orders.push_back(flip(race.probability) ? 1 : 0);
    return orders;
  }

  const std::vector<SimulatedRace> races_;
  std::minstd_rand& random_;
  std::vector<std::size_t> held_, lost_;
};

ConfirmState confirmed_state(const std::vector<SimulatedRace>& races, std::minstd_rand& random,
                             std::size_t repetitions = kRepetitions) {
  SimulatedRuns runs(races, random);
  Evidence evidence{.orders = 2, .optional = {}, .control = {}, .trials = {}};
  for (std::size_t i = 0; i < repetitions; ++i) evidence.control.push_back(runs.control());
  EXPECT_TRUE(gather_evidence(evidence, repetitions, 0, runs));
  return judge(evidence, repetitions, 0).state;
}

std::vector<SimulatedRace> random_races(std::minstd_rand& random) {
  const auto chance = [&](double p) {
    return std::uniform_real_distribution<double>()(random) < p;
  };
  std::vector<SimulatedRace> races(1 + random() % 4);
  for (SimulatedRace& race : races) {
    race.has_effect = chance(0.5);
    race.sums = chance(0.5);
    race.holdable = chance(0.5);
    race.probability = chance(0.5) ? 0.5 : std::uniform_real_distribution<double>()(random);
    race.loses_hold = chance(0.2) ? 1 : chance(0.2) ? 0.1 : 0;
    race.keeps_away = chance(0.1);
  }
  return races;
}

// Harmful is right if the tried race has an effect, and a line shows it in each run alike. If
// another race that is not held adds to the same sum, the sum varies within an order: unstable is
// right, too. Without an effect, only harmful is wrong.
TEST(GatheringTest, TheStateOfRandomProgramsIsRight) {
  for (const std::size_t repetitions : {1u, 2u, 3u, 10u}) {
    std::minstd_rand random(static_cast<unsigned>(4711 + repetitions));
    int right = 0;
    constexpr int kPrograms = 1000;
    for (int i = 0; i < kPrograms; ++i) {
      const std::vector<SimulatedRace> races = random_races(random);
      const ConfirmState state = confirmed_state(races, random, repetitions);
      bool masked = false;
      for (std::size_t other = 1; other < races.size(); ++other)
        masked = masked || (races[0].sums && races[other].has_effect && races[other].sums);
      if (races[0].has_effect) {
        ASSERT_NE(state, ConfirmState::SameOutcome) << "program " << i;
        right += state == ConfirmState::Harmful || (masked && state == ConfirmState::Unstable);
      } else {
        right += state == ConfirmState::SameOutcome || state == ConfirmState::Unstable;
      }
    }
    EXPECT_GE(right, kPrograms * 99 / 100) << repetitions << " repetitions";
  }
}

TEST(GatheringTest, ARaceThatVariesByItselfMakesNoOtherHarmful) {
  for (const std::size_t repetitions : {1u, 2u, 3u})
    for (const double probability : {0.5, 0.3, 0.1}) {
      std::minstd_rand random(17);
      int harmful = 0;
      for (int i = 0; i < 1000; ++i)
        harmful += confirmed_state({{}, {.has_effect = true, .probability = probability}}, random,
                                   repetitions) == ConfirmState::Harmful;
      EXPECT_LE(harmful, 10) << repetitions << " repetitions, " << probability;
    }
}

TEST(GatheringTest, AnEffectShowsThroughAnotherRaceThatIsHeld) {
  std::minstd_rand random(5);
  const SimulatedRace tried{.has_effect = true, .sums = true, .probability = 0.5};
  SimulatedRace other = tried;
  int harmful = 0;
  for (int i = 0; i < 200; ++i)
    harmful += confirmed_state({tried, other}, random) == ConfirmState::Harmful;
  EXPECT_LE(harmful, 4) << "not held: their sum varies";
  other.holdable = true;
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(confirmed_state({tried, other}, random), ConfirmState::Harmful);
}

TEST(GatheringTest, RunsWithAndWithoutAHoldAreNotCompared) {
  // By itself the other race always takes order 1; it is held to order 0, unless the hold is lost.
  std::minstd_rand random(5);
  for (int i = 0; i < 500; ++i)
    EXPECT_NE(confirmed_state(
                  {{}, {.has_effect = true, .holdable = true, .probability = 1, .loses_hold = 0.5}},
                  random),
              ConfirmState::Harmful);
}

TEST(GatheringTest, AHoldThatKeepsTheRaceAwayIsDropped) {
  std::minstd_rand random(5);
  SimulatedRace tried{.has_effect = true};
  const SimulatedRace other{.holdable = true, .keeps_away = true};
  EXPECT_EQ(confirmed_state({tried, other}, random), ConfirmState::Harmful);
  tried.has_effect = false;
  EXPECT_EQ(confirmed_state({tried, other}, random), ConfirmState::SameOutcome);
}

TEST(GatheringTest, AFindingThatIsAloneTakesNoFurtherRuns) {
  std::minstd_rand random(5);
  for (const bool has_effect : {false, true}) {
    SimulatedRuns runs({{.has_effect = has_effect}}, random);
    Evidence evidence{.orders = 2, .optional = {}, .control = {}, .trials = {}};
    EXPECT_TRUE(gather_evidence(evidence, kRepetitions, 0, runs));
    EXPECT_EQ(runs.runs, 2 * kRepetitions);
  }
}

}  // namespace
}  // namespace photofinish
