#include "runtime/sampling.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "base/ticks.h"

namespace photofinish {
namespace {

// A program with a simulated clock: a number of accesses for each nanosecond of work, and the cost
// of checking and of skipping an access.
struct Simulated {
  double slowdown, accesses, check, pass;
  double own = 0, work = 0, checked = 0, all = 0;
  Budget budget{slowdown};

  void run(double nanoseconds, double step = 10'000) {
    for (const double end = work + nanoseconds; work < end; work += step) {
      const double here = accesses * step;
      all += here;
      const std::uint32_t interval = budget.interval();
      if (interval != Budget::kNothing) {
        checked += here / interval;
        own += here / interval * check + here * (1 - 1.0 / interval) * pass;
      }
      budget.update(own, own + work + step);
    }
  }
  double now() const { return (own + work) / work; }
};

TEST(Budget, KeepsWithinTheSlowdownWhateverACheckCosts) {
  for (const double slowdown : {1.01, 1.1, 1.5, 3.0})
    for (const double check : {20.0, 200.0, 5000.0})
      for (const double accesses : {0.0001, 0.01, 0.5}) {
        Simulated program{slowdown, accesses, check, 5};
        program.run(2e9);
        // The sampler reacts only after the first step, in which every access is checked.
        const double first = accesses * 10'000 * check / program.work;
        EXPECT_LE(program.now(), 1 + (slowdown - 1) * 1.05 + first)
            << slowdown << " " << check << " " << accesses;
        EXPECT_GT(program.checked, 0);
      }
}

TEST(Budget, ChecksAtEverythingThatItCanPayFor) {
  Simulated program{1.1, 0.0001, 50, 5};  // 0.5 %
  program.run(1e9);
  EXPECT_NEAR(program.checked, program.all, 1e-9 * program.all);
}

TEST(Budget, SpendsMostOfWhatItHas) {
  Simulated program{1.1, 0.1, 100, 1};
  program.run(2e9);
  EXPECT_GT(program.now(), 1.05);
}

TEST(Budget, MakesUpForADearStart) {
  Simulated program{1.1, 0.5, 1000, 5};
  program.run(1e6, 1e6);  // before the sampler can react
  ASSERT_GT(program.now(), 100);
  program.run(20e9, 1e5);
  EXPECT_LE(program.now(), 1.11);
}

TEST(Budget, WithoutOneNothingIsKeptBack) {
  Simulated program{0, 0.5, 1000, 5};
  program.run(1e8);
  EXPECT_DOUBLE_EQ(program.checked, program.all);
}

std::vector<bool> g_lifted;
bool g_rests;
std::uint64_t g_processor_ns;
std::unique_ptr<Sampling> sampling(double slowdown) {
  g_lifted.clear();
  g_processor_ns = 500;
  return std::make_unique<Sampling>(
      slowdown, ticks(), TickRate().ns_per_tick(), [](bool lifted) { g_lifted.push_back(lifted); },
      [](bool rests) { g_rests = rests; }, [] { return g_processor_ns; });
}

std::uint64_t checks(Sampling& sampling, photofinish_site& site, std::uint64_t times) {
  std::uint64_t checked = 0;
  for (std::uint64_t i = 0; i < times; ++i) checked += sampling.skips(site) ? 0 : 1;
  return checked;
}

TEST(Sampling, AHotLocationIsCheckedAtLessAndLess) {
  const auto sampler = sampling(0);
  photofinish_site site{};
  EXPECT_EQ(checks(*sampler, site, Sampling::kChecksALevel), Sampling::kChecksALevel);
  const std::uint64_t first = checks(*sampler, site, 10'000),
                      second = checks(*sampler, site, 10'000);
  EXPECT_LT(first, 1000);
  EXPECT_LT(second, first);
  checks(*sampler, site, 10'000'000);
  const double floor = static_cast<double>(checks(*sampler, site, 10'000'000));
  EXPECT_NEAR(floor / 1e7, 1.0 / Sampling::kMaxInterval, 0.2 / Sampling::kMaxInterval);
}

TEST(Sampling, AColdLocationIsCheckedAtEachTimeBesideAHotOne) {
  const auto sampler = sampling(0);
  photofinish_site hot{}, cold{};
  checks(*sampler, hot, 1'000'000);
  EXPECT_EQ(checks(*sampler, cold, Sampling::kChecksALevel), Sampling::kChecksALevel);
}

TEST(Sampling, AfterEachCallALocationIsCheckedAtOnce) {
  const auto sampler = sampling(0);
  photofinish_site site{};
  checks(*sampler, site, 1'000'000);
  for (int i = 0; i < 100; ++i) {
    sampler->next_interval();
    EXPECT_FALSE(sampler->skips(site));
  }
}

TEST(Sampling, ReportsWhatItSkipped) {
  const auto sampler = sampling(0);
  photofinish_site hot{}, cold{};
  const std::uint64_t checked = checks(*sampler, hot, 100'000) + checks(*sampler, cold, 3);
  const SamplingDefinition reported = sampler->summary(ticks());
  EXPECT_EQ(reported.checked, checked);
  EXPECT_EQ(reported.checked + reported.skipped, 100'003u);
  EXPECT_EQ(reported.locations, 2u);
  EXPECT_EQ(reported.thinned, 1u);
  EXPECT_EQ(reported.lifted_ns, 0u);
}

TEST(Sampling, LiftsTheMarksWhenTheBudgetIsSpentAndPutsThemBack) {
  const auto sampler = sampling(1.1);
  photofinish_site site{};
  const auto second = static_cast<std::uint64_t>(1e9 / TickRate().ns_per_tick());
  const std::uint64_t start = ticks() + second;
  g_processor_ns += 2'000'000'000;
  sampler->took_checking(start, start + second);  // one second of two
  EXPECT_EQ(g_lifted, std::vector<bool>{true});
  EXPECT_TRUE(sampler->skips(site));
  sampler->took_recording(start + 50 * second, start + 50 * second);  // other processes have the
                                                                      // processor
  EXPECT_EQ(g_lifted, std::vector<bool>{true});
  g_processor_ns += 98'000'000'000;
  sampler->took_recording(start + 100 * second, start + 100 * second);  // the run continues
  EXPECT_EQ(g_lifted, (std::vector<bool>{true, false}));
  const SamplingDefinition reported = sampler->summary(start + 101 * second);
  EXPECT_NEAR(static_cast<double>(reported.lifted_ns), 99e9, 1e9);
  EXPECT_NEAR(static_cast<double>(reported.own_ns), 1e9, 1e8);
  EXPECT_EQ(reported.recording_ns, 0u);
  EXPECT_EQ(reported.run_ns, 100'000'000'500u);
}

// A program whose tests take a fifth of its time, in phases of two kinds.
TEST(Sampling, TheCostOfTestsIsThatOfPhasesWithThem) {
  const auto sampler = sampling(100);
  const auto ms = static_cast<std::uint64_t>(1e6 / TickRate().ns_per_tick());
  const double before = static_cast<double>(sampler->summary(ticks()).run_ns);
  std::uint64_t now = ticks();
  double tests = 0, all = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t site = 7 + static_cast<std::uint64_t>(i % 2);
    const std::uint64_t work = (i % 2 == 0 ? 1'000'000u : 3'000'000u) + (i * 7919u) % 100'000u;
    sampler->begin_phase(site, now);
    const std::uint64_t with_tests = g_rests ? 0 : work / 4;
    g_processor_ns += work + with_tests;
    tests += static_cast<double>(with_tests);
    all += static_cast<double>(work + with_tests);
    sampler->end_phase(now += 2 * ms);
    EXPECT_FALSE(g_rests);
  }
  const SamplingDefinition reported = sampler->summary(now);
  EXPECT_NEAR(static_cast<double>(reported.run_ns) - before, all, 1);
  EXPECT_NEAR(static_cast<double>(reported.tests_ns), tests, 0.05 * tests);
  EXPECT_GT(static_cast<double>(reported.compared_ns), 0.95 * all);
  EXPECT_GT(tests, 0.15 * all);  // few phases ran without
}

TEST(Sampling, WithoutABudgetNoPhaseRunsWithoutTests) {
  const auto sampler = sampling(0);
  const auto ms = static_cast<std::uint64_t>(1e6 / TickRate().ns_per_tick());
  for (std::uint64_t now = ticks(), i = 0; i < 100; ++i) {
    sampler->begin_phase(7, now);
    EXPECT_FALSE(g_rests);
    sampler->end_phase(now += ms);
  }
}

TEST(Sampling, WaitingInACallIsNoTimeToSpend) {
  const auto sampler = sampling(1.5);
  const auto second = static_cast<std::uint64_t>(1e9 / TickRate().ns_per_tick());
  const std::uint64_t start = ticks();
  sampler->took_checking(start, start);
  const std::uint64_t before = sampler->summary(start).run_ns;
  g_processor_ns += 10'000'000'000;
  sampler->was_in_call(start + second, start + 10 * second);  // spinning
  EXPECT_NEAR(static_cast<double>(sampler->summary(start + 10 * second).run_ns - before), 1e9, 1e7);
  g_processor_ns += 1'000'000'000;
  sampler->took_checking(start + 10 * second, start + 11 * second);  // half of the rest
  EXPECT_EQ(g_lifted, std::vector<bool>{true});
}

TEST(Sampling, WhatOthersHadOfTheProcessorWasNotTheTools) {
  const auto sampler = sampling(1.5);
  const auto second = static_cast<std::uint64_t>(1e9 / TickRate().ns_per_tick());
  const std::uint64_t start = ticks();
  g_processor_ns += 1'000'000;
  sampler->took_checking(start, start + 5 * second);
  EXPECT_NEAR(static_cast<double>(sampler->summary(start + 5 * second).own_ns), 1e6, 1e5);
}

}  // namespace
}  // namespace photofinish
