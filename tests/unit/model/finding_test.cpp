#include "model/finding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "frontend/mpi/table/mpi_call.h"
#include "random_finding.h"

namespace photofinish {
namespace {

using testing::RandomFindings;
using Ranks = std::set<WorldRank>;

Finding put_load(int origin, int owner, Timestamp begin) {
  return {.reason = Reason::NoOrder,
          .sides = {{.rank = WorldRank(owner),
                     .kind = AccessKind::Load,
                     .call = Call::load,
                     .site_key = 7,
                     .begin = begin + 1},
                    {.rank = WorldRank(origin),
                     .kind = AccessKind::Put,
                     .call = MpiCall::MPI_Put,
                     .site_key = 9,
                     .begin = begin}},
          .owner = WorldRank(owner),
          .win = Uid(5),
          .times = 3,
          .ranks = {WorldRank(origin), WorldRank(owner)},
          .owners = {WorldRank(owner)}};
}

Finding swapped(Finding finding) {
  std::swap(finding.sides[0], finding.sides[1]);
  return finding;
}

TEST(MergeFindings, OneForTwoLocations) {
  const auto merged =
      merge_findings({put_load(3, 1, 10), swapped(put_load(2, 0, 40)), put_load(2, 0, 20)});
  ASSERT_EQ(merged.size(), 1u);
  EXPECT_EQ(merged[0].times, 9u);
  EXPECT_EQ(merged[0].ranks, (Ranks{WorldRank(0), WorldRank(1), WorldRank(2), WorldRank(3)}));
  EXPECT_EQ(merged[0].owners, (Ranks{WorldRank(0), WorldRank(1)}));
  // The example: the lowest owner, then the earliest.
  EXPECT_EQ(merged[0].owner, WorldRank(0));
  EXPECT_EQ(merged[0].sides[0].begin, 20u);
}

TEST(MergeFindings, TheRemoteOperationComesFirst) {
  const auto merged = merge_findings({put_load(2, 0, 20)});
  EXPECT_EQ(merged[0].sides[0].kind, AccessKind::Put);
  EXPECT_EQ(merged[0].sides[1].kind, AccessKind::Load);
}

TEST(MergeFindings, OtherwiseTheLowerRankThenTheEarlierComesFirst) {
  Finding two_puts = put_load(2, 0, 20);
  two_puts.sides[0].kind = AccessKind::Get;
  EXPECT_EQ(merge_findings({two_puts})[0].sides[0].rank, WorldRank(0));
  two_puts.sides[0].rank = WorldRank(2);
  EXPECT_EQ(merge_findings({two_puts})[0].sides[0].begin, 20u);
  EXPECT_EQ(merge_findings({swapped(two_puts)})[0].sides[0].begin, 20u);
}

TEST(MergeFindings, EachPartOfTheLocationsAndTheReasonReportsApart) {
  const Finding one = put_load(2, 0, 20);
  std::vector<Finding> others(4, one);
  others[0].sides[1].site_key = 10;
  others[1].sides[1].kind = AccessKind::Accumulate;
  others[2].sides[1].call = MpiCall::MPI_Rput;
  others[3].reason = Reason::SeparateModel;
  for (const Finding& other : others) EXPECT_EQ(merge_findings({one, other}).size(), 2u);
}

TEST(MergeFindings, RanksOfTheExampleAreAlwaysThere) {
  Finding bare = put_load(2, 0, 20);
  bare.ranks.clear();
  bare.owners.clear();
  const auto merged = merge_findings({bare});
  EXPECT_EQ(merged[0].ranks, (Ranks{WorldRank(0), WorldRank(2)}));
  EXPECT_EQ(merged[0].owners, Ranks{WorldRank(0)});
}

TEST(MergeFindings, TimesDoNotOverflow) {
  Finding often = put_load(2, 0, 20);
  often.times = ~std::uint64_t{0} - 1;
  EXPECT_EQ(merge_findings({often, put_load(3, 0, 1)})[0].times, ~std::uint64_t{0});
}

TEST(MergeFindings, DoesNotDependOnTheOrderOrTheGrouping) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomFindings random(seed);
    std::vector<Finding> findings = random.findings(1 + random.below(60));
    const auto merged = merge_findings(findings);
    EXPECT_EQ(merge_findings(merged), merged) << seed;

    random.shuffle(findings);
    for (Finding& finding : findings)
      if (random.below(2)) finding = swapped(finding);
    EXPECT_EQ(merge_findings(findings), merged) << seed;

    // Each rank merges its own findings before they are merged with those of others.
    std::vector<std::vector<Finding>> groups(1 + random.below(5));
    for (const Finding& finding : findings) groups[random.below(groups.size())].push_back(finding);
    std::vector<Finding> of_groups;
    for (const auto& group : groups)
      for (const Finding& finding : merge_findings(group)) of_groups.push_back(finding);
    EXPECT_EQ(merge_findings(of_groups), merged) << seed;
  }
}

TEST(MergeFindings, KeepsWhatThereIs) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomFindings random(seed);
    const std::vector<Finding> findings = random.findings(50);
    using Location = std::tuple<std::uint64_t, AccessKind, Call>;
    std::map<std::tuple<Location, Location, Reason>, std::uint64_t> times, merged_times;
    const auto count = [](auto& into, const Finding& f) {
      Location a{f.sides[0].site_key, f.sides[0].kind, f.sides[0].call},
          b{f.sides[1].site_key, f.sides[1].kind, f.sides[1].call};
      if (b < a) std::swap(a, b);
      into[{a, b, f.reason == Reason::NotComplete ? Reason::NoOrder : f.reason}] += f.times;
    };
    for (const Finding& finding : findings) count(times, finding);
    const auto merged = merge_findings(findings);
    for (const Finding& finding : merged) count(merged_times, finding);
    EXPECT_EQ(merged_times, times) << seed;
    EXPECT_EQ(merged.size(), times.size()) << seed;
  }
}

TEST(UniteFindings, WhatTwoAnalysesFoundIsCountedOnce) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomFindings random(seed);
    const auto merged = merge_findings(random.findings(40));
    EXPECT_EQ(unite_findings(merged, merged), merged) << seed;
    EXPECT_EQ(unite_findings(merged, {}), merged) << seed;
    const auto other = merge_findings(random.findings(40));
    EXPECT_EQ(unite_findings(merged, other), unite_findings(other, merged)) << seed;
  }
}

}  // namespace
}  // namespace photofinish
