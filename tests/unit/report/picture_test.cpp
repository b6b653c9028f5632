// The layout of pictures, for synthetic neighborhoods.
#include <gtest/gtest.h>

#include "frontend/mpi/table/mpi_call.h"
#include "report/picture/layout.h"
#include "report/picture/levels.h"

namespace photofinish {
namespace {

NearStep step(std::uint64_t index, Call call, SyncPoint before = 0, SyncPoint after = 0,
              std::vector<Tie> ties = {}) {
  return {.index = index,
          .call = call,
          .site = SiteId(1),
          .before = before,
          .after = after,
          .ties = std::move(ties)};
}
NearLane lane(int rank, std::vector<NearStep> steps, std::uint64_t events = 100) {
  NearLane made{.rank = WorldRank(rank), .events = events};
  for (NearStep& one : steps) made.steps.emplace(one.index, one);
  return made;
}
EndDocument end(int rank, std::uint64_t first, std::uint64_t last) {
  EndDocument made{.role = "first", .access = "put"};
  made.rank = WorldRank(rank);
  made.begin = 2 * first;
  made.end = 2 * last + 1;
  return made;
}
FindingDocument race(EndDocument a, EndDocument b, int owner) {
  FindingDocument finding{.kind = FindingKind::OneSidedRace};
  finding.ends = {std::move(a), std::move(b)};
  finding.memory = MemoryDocument{.owner = WorldRank(owner), .win = Uid(1)};
  return finding;
}

TEST(Levels, AreTheLongestWay) {
  Levels levels;
  const auto a = levels.add(0), b = levels.add(0), c = levels.add(0), later = levels.add(1);
  levels.before(a, b);
  levels.before(b, c);
  levels.before(a, c);
  ASSERT_TRUE(levels.solve());
  EXPECT_EQ(levels.level(a), 0);
  EXPECT_EQ(levels.level(c), 2);
  EXPECT_EQ(levels.level(later), 3);  // its phase follows all of the preceding one
}

TEST(Levels, GoOnWhereThereIsACircle) {
  Levels levels;
  const auto a = levels.add(0), b = levels.add(0);
  levels.before(a, b);
  levels.before_if_possible(b, a);
  ASSERT_TRUE(levels.solve());
  EXPECT_LT(levels.level(a), levels.level(b));
  levels.before(b, a);
  EXPECT_FALSE(levels.solve());
}

TEST(Levels, AlignOnlyWhatNothingOrders) {
  Levels levels;
  const auto a = levels.add(0), b = levels.add(0), alone = levels.add(0);
  levels.before(a, b);
  levels.align(alone, b);
  EXPECT_EQ(levels.level(alone), levels.level(b));
  levels.align(a, b);
  EXPECT_LT(levels.level(a), levels.level(b));
}

TEST(Picture, TheTwoAccessesStandSideBySideAndOverlap) {
  const NearFinding near{{lane(0, {step(4, MpiCall::MPI_Put), step(5, MpiCall::MPI_Win_flush)}),
                          lane(2, {step(7, MpiCall::MPI_Barrier), step(8, MpiCall::MPI_Win_lock),
                                   step(9, MpiCall::MPI_Get), step(10, MpiCall::MPI_Win_unlock)})}};
  const Picture picture = draw(race(end(0, 4, 5), end(2, 9, 10), 1), near);
  ASSERT_EQ(picture.ends.size(), 2u);
  EXPECT_EQ(picture.ends[0].begin, picture.ends[1].begin);
  EXPECT_GT(picture.ends[0].end, picture.ends[1].begin);
  EXPECT_GT(picture.ends[1].end, picture.ends[0].begin);
  EXPECT_EQ(picture.ends[0].touches, -1);  // its owner is not in the picture
}

TEST(Picture, AnArrowNeverPointsToTheLeft) {
  const NearFinding near{{lane(0, {step(1, MpiCall::MPI_Barrier), step(2, MpiCall::MPI_Barrier),
                                   step(3, MpiCall::MPI_Send, 0, 0, {{Tie::Kind::Send, 42}}),
                                   step(4, MpiCall::MPI_Put)}),
                          lane(1, {step(0, MpiCall::MPI_Recv, 0, 0, {{Tie::Kind::Receive, 42, 7}}),
                                   step(1, MpiCall::MPI_Get)})}};
  const Picture picture = draw(race(end(0, 4, 4), end(1, 1, 1), 1), near);
  ASSERT_EQ(picture.arrows.size(), 1u);
  EXPECT_EQ(picture.arrows[0].kind, Picture::ArrowKind::Message);
  EXPECT_EQ(picture.arrows[0].from_lane, 0);
  EXPECT_LT(picture.arrows[0].from, picture.arrows[0].to);
}

TEST(Picture, CollectivesJoinLanes) {
  const std::vector<Tie> all{{Tie::Kind::Release, 9}, {Tie::Kind::Acquire, 9}};
  const NearFinding near{
      {lane(0, {step(0, MpiCall::MPI_Barrier, 0, 1, all), step(1, MpiCall::MPI_Put, 1, 1)}),
       lane(1, {step(0, MpiCall::MPI_Put), step(1, MpiCall::MPI_Put),
                step(2, MpiCall::MPI_Barrier, 0, 1, all)})}};
  const Picture picture = draw(race(end(0, 1, 1), end(1, 0, 0), 1), near);
  ASSERT_EQ(picture.joins.size(), 1u);
  ASSERT_EQ(picture.joins[0].parts.size(), 2u);
  // No rank leaves before all have entered.
  for (const auto& part : picture.joins[0].parts)
    for (const auto& other : picture.joins[0].parts) EXPECT_GT(part.end, other.begin);
  EXPECT_EQ(picture.joins[0].label, "MPI_Barrier");
}

TEST(Picture, WhatIsNotDrawnIsCounted) {
  NearLane with_epoch = lane(0,
                             {step(3, MpiCall::MPI_Win_fence), step(50, MpiCall::MPI_Put),
                              step(51, MpiCall::MPI_Win_fence)},
                             60);
  with_epoch.epochs.push_back({.opened = 3, .closed = 51, .label = "fence epoch"});
  with_epoch.epochs.push_back({.opened = 51, .label = "fence epoch"});
  const Picture picture = draw(race(end(0, 50, 50), end(0, 50, 50), 0), {{with_epoch}});
  ASSERT_EQ(picture.lanes.size(), 1u);
  std::vector<std::uint64_t> gaps;
  for (const Picture::Gap& gap : picture.lanes[0].gaps) gaps.push_back(gap.events);
  EXPECT_EQ(gaps, (std::vector<std::uint64_t>{3, 46, 8}));
  ASSERT_EQ(picture.lanes[0].epochs.size(), 2u);
  EXPECT_TRUE(picture.lanes[0].epochs[0].ends);
  EXPECT_LT(picture.lanes[0].epochs[0].begin, picture.lanes[0].epochs[0].end);
  EXPECT_FALSE(picture.lanes[0].epochs[1].ends);
}

TEST(Picture, OfARankWithoutATraceIsEmpty) {
  const Picture picture =
      draw(race(end(0, 1, 2), end(3, 1, 2), 1), {{lane(0, {}, 0), lane(1, {}, 0)}});
  EXPECT_EQ(picture.lanes.size(), 2u);
  EXPECT_EQ(picture.ends[0].lane, -1);
}

}  // namespace
}  // namespace photofinish
