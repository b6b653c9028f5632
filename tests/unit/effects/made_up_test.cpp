// Detects races of a programming model that exists only here (made_up/calls.h). It is linked
// without the meaning of MPI calls, so the detector does not need it.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "detect/analysis.h"
#include "made_up/calls.h"
#include "made_up/meaning.h"

namespace photofinish {
namespace {

using made_up::Rank;

std::vector<Finding> findings_of(const std::vector<Rank>& ranks) {
  std::vector<std::size_t> next(ranks.size());
  std::vector<RankInput> inputs;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    inputs.push_back({ranks[i].definitions.rank.rank, &ranks[i].definitions, made_up::meaning_of,
                      [&ranks, &next, i] {
                        return next[i] < ranks[i].events.size() ? &ranks[i].events[next[i]++]
                                                                : nullptr;
                      }});
  return analyze(std::move(inputs), RuleOptions());
}

std::vector<Rank> two() { return {Rank(0, 2), Rank(1, 2)}; }

// rank 0:  write_to(1)  [settle]  meet
// rank 1:                         meet  load
TEST(MadeUpFrontEnd, AWriteThatIsNotSettledRacesWithALoadAfterTheMeeting) {
  for (const bool fixed : {false, true}) {
    std::vector<Rank> ranks = two();
    ranks[0].write_to(1, 64, 8);
    if (fixed) ranks[0].settle();
    ranks[0].meet();
    ranks[1].meet();
    ranks[1].load(64, 8);
    const std::vector<Finding> findings = findings_of(ranks);
    if (fixed) {
      EXPECT_TRUE(findings.empty());
      continue;
    }
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].owner, WorldRank(1));
    EXPECT_EQ(findings[0].offset, 64);
    EXPECT_EQ(findings[0].sides[0].kind, AccessKind::Put);
    EXPECT_EQ(findings[0].sides[0].rank, WorldRank(0));
    EXPECT_EQ(findings[0].sides[1].kind, AccessKind::Load);
    EXPECT_EQ(findings[0].sides[1].rank, WorldRank(1));
  }
}

// rank 0:  store  [meet]
// rank 1:         [meet]  read_from(0)
TEST(MadeUpFrontEnd, AReadBesideAStore) {
  for (const bool fixed : {false, true}) {
    std::vector<Rank> ranks = two();
    ranks[0].store(0, 4);
    if (fixed)
      for (Rank& rank : ranks) rank.meet();
    ranks[1].read_from(0, 0, 4);
    EXPECT_EQ(findings_of(ranks).size(), fixed ? 0u : 1u);
  }
}

TEST(MadeUpFrontEnd, ReadsAndOtherBytesDoNotConflict) {
  std::vector<Rank> ranks = two();
  ranks[0].read_from(1, 0, 8);
  ranks[0].write_to(1, 16, 8);
  ranks[1].load(0, 8);
  ranks[1].store(8, 8);
  EXPECT_TRUE(findings_of(ranks).empty());
}

TEST(MadeUpFrontEnd, TwoWritesOfOneRankRaceUntilTheFirstIsSettled) {
  for (const bool fixed : {false, true}) {
    std::vector<Rank> ranks = two();
    ranks[0].write_to(1, 0, 8);
    if (fixed) ranks[0].settle();
    ranks[0].write_to(1, 4, 8);
    const std::vector<Finding> findings = findings_of(ranks);
    ASSERT_EQ(findings.size(), fixed ? 0u : 1u);
    for (const Finding& finding : findings) EXPECT_EQ(finding.reason, Reason::NotComplete);
  }
}

}  // namespace
}  // namespace photofinish
