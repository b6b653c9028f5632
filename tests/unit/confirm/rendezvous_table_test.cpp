#include "confirm/rendezvous_table.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/ids.h"

namespace photofinish {
namespace {

TableEntry at(int rank, std::uint32_t sides, std::int64_t begin, std::int64_t bytes,
              int owner = 0) {
  TableEntry entry{};
  entry.state = EntryState::Waiting;
  entry.sides = sides;
  entry.rank = rank;
  entry.owner = owner;
  entry.task = 100 + static_cast<std::uint64_t>(rank);
  entry.arrival[0] = 3;
  entry.arrival[1] = 5;
  EXPECT_TRUE(add_piece(entry, {begin, bytes, {}}));
  return entry;
}

struct RendezvousTableTest : testing::Test {
  std::unique_ptr<RendezvousTable> table = std::make_unique<RendezvousTable>();
  std::uint32_t slot = 0;
  Turn reach_site(const TableEntry& entry, int first = 0, bool post = true) {
    return arrive(*table, entry, first, post, slot);
  }
};

TEST_F(RendezvousTableTest, TwoSidesThatShareBytesMeet) {
  EXPECT_EQ(reach_site(at(0, 1, 0, 8)), Turn::Entered);
  EXPECT_EQ(reach_site(at(1, 2, 4, 8)), Turn::Second);
  EXPECT_EQ(turn_of(*table, 0, 100), Turn::First);
  EXPECT_EQ(turn_of(*table, 1, 101), Turn::Second);
  EXPECT_EQ(turn_of(*table, 2, 102), Turn::Proceed);
  EXPECT_EQ(table->first.arrival, 3u);
  EXPECT_EQ(table->second.arrival, 5u);
  EXPECT_EQ(table->forced, 1u);
  EXPECT_EQ(table->first_done, 0u);
}

TEST_F(RendezvousTableTest, TheOrderDecidesWhoGoesFirst) {
  EXPECT_EQ(reach_site(at(0, 1, 0, 8), 1), Turn::Entered);
  EXPECT_EQ(reach_site(at(1, 2, 4, 8), 1), Turn::First);
  EXPECT_EQ(turn_of(*table, 0, 100), Turn::Second);
}

TEST_F(RendezvousTableTest, NothingElseIsAMeeting) {
  ASSERT_EQ(reach_site(at(0, 1, 0, 8)), Turn::Entered);
  EXPECT_EQ(reach_site(at(1, 2, 8, 8), 0, false), Turn::Proceed) << "other bytes";
  EXPECT_EQ(reach_site(at(1, 2, 0, 8, 3), 0, false), Turn::Proceed) << "another owner";
  EXPECT_EQ(reach_site(at(1, 1, 0, 8), 0, false), Turn::Proceed) << "the same side";
  EXPECT_EQ(reach_site(at(0, 2, 0, 8), 0, false), Turn::Proceed) << "itself";
  EXPECT_EQ(table->met, 0u);
}

TEST_F(RendezvousTableTest, ColumnsBesideEachOtherShareNothing) {
  TableEntry even = at(0, 1, 0, 8), odd = at(1, 2, 8, 8);
  even.pieces = odd.pieces = 0;
  ASSERT_TRUE(add_piece(even, {0, 8, {{100, 16}}}));
  ASSERT_TRUE(add_piece(odd, {8, 8, {{100, 16}}}));
  ASSERT_EQ(reach_site(even), Turn::Entered);
  EXPECT_EQ(reach_site(odd, 0, false), Turn::Proceed);
}

TEST_F(RendezvousTableTest, WhatDoesNotFitMeetsNobody) {
  TableEntry entry = at(0, 1, 0, 8);
  EXPECT_FALSE(add_piece(entry, {0, 1, {{2, 2}, {2, 4}, {2, 8}, {2, 16}}}));
  while (entry.pieces < kPieces) ASSERT_TRUE(add_piece(entry, {0, 1, {}}));
  EXPECT_FALSE(add_piece(entry, {0, 1, {}}));
}

TEST_F(RendezvousTableTest, AnExclusiveLockKeepsApart) {
  const HeldLock exclusive{7, 0, 1}, shared{7, 0, 0}, all{7, kAnySource.value, 0}, other{8, 0, 1};
  const auto with = [](TableEntry entry, const HeldLock& lock) {
    entry.lock[entry.locks++] = lock;
    return entry;
  };
  ASSERT_EQ(reach_site(with(at(0, 1, 0, 8), exclusive)), Turn::Entered);
  EXPECT_EQ(reach_site(with(at(1, 2, 0, 8), exclusive), 0, false), Turn::Proceed);
  EXPECT_EQ(reach_site(with(at(1, 2, 0, 8), shared), 0, false), Turn::Proceed);
  EXPECT_EQ(reach_site(with(at(1, 2, 0, 8), all), 0, false), Turn::Proceed);
  EXPECT_EQ(reach_site(with(at(1, 2, 0, 8), other), 0, false), Turn::Second);
}

TEST_F(RendezvousTableTest, OnePlaceThatIsBothSidesGoesByRank) {
  ASSERT_EQ(reach_site(at(2, 3, 0, 8)), Turn::Entered);
  EXPECT_EQ(reach_site(at(1, 3, 0, 8)), Turn::First);
  EXPECT_EQ(table->first.rank, 1);
}

TEST_F(RendezvousTableTest, WhatATaskHasInFlightMeetsWhatItComesTo) {
  TableEntry operation = at(0, 1, 0, 8);
  operation.state = EntryState::Pending;
  operation.steerable = 1;
  ASSERT_EQ(reach_site(operation, 1), Turn::Entered);
  EXPECT_EQ(reach_site(at(0, 2, 0, 8), 1), Turn::First);
  EXPECT_EQ(table->forced, 1u);
  EXPECT_EQ(table->first_done, 0u) << "the deferred operation waits for it";
}

TEST_F(RendezvousTableTest, WhatWasStartedAndCannotBeSteeredIsSeenOnly) {
  TableEntry operation = at(0, 1, 0, 8);
  operation.state = EntryState::Pending;
  ASSERT_EQ(reach_site(operation), Turn::Entered);
  EXPECT_EQ(reach_site(at(1, 2, 0, 8)), Turn::Second);
  EXPECT_EQ(table->forced, 0u);
  EXPECT_EQ(table->first_done, 1u) << "nobody would tell";
}

TEST_F(RendezvousTableTest, ThereIsOneMeeting) {
  reach_site(at(0, 1, 0, 8));
  reach_site(at(1, 2, 0, 8));
  EXPECT_EQ(reach_site(at(2, 1, 0, 8)), Turn::Proceed);
  EXPECT_EQ(reach_site(at(3, 2, 0, 8)), Turn::Proceed);
}

TEST_F(RendezvousTableTest, AFullBoardLetsPass) {
  for (std::uint32_t i = 0; i < kEntries; ++i)
    ASSERT_EQ(reach_site(at(static_cast<int>(i), 1, 0, 8)), Turn::Entered);
  EXPECT_EQ(reach_site(at(1000, 1, 0, 8)), Turn::Proceed);
  EXPECT_EQ(reach_site(at(1001, 2, 0, 8)), Turn::Second);
}

// Every instance is steered.
struct RepeatedMeetingTest : RendezvousTableTest {
  void SetUp() override { table->repeats = 1; }
};

TEST_F(RepeatedMeetingTest, AMeetingFollowsAnother) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(reach_site(at(0, 1, 0, 8)), Turn::Entered);
    EXPECT_EQ(reach_site(at(1, 2, 4, 8)), Turn::Second);
    EXPECT_EQ(turn_at(*table, slot, 0, 100), Turn::First);
    EXPECT_FALSE(close_meeting(*table, table->number - 1)) << "an earlier one";
    EXPECT_TRUE(close_meeting(*table, table->number));
    EXPECT_FALSE(close_meeting(*table, table->number)) << "twice";
  }
  EXPECT_EQ(table->number, 3u);
}

TEST_F(RepeatedMeetingTest, AWaitingEntryMeetsOnce) {
  ASSERT_EQ(reach_site(at(0, 1, 0, 8)), Turn::Entered);
  ASSERT_EQ(reach_site(at(1, 2, 0, 8)), Turn::Second);
  ASSERT_TRUE(close_meeting(*table, table->number));
  EXPECT_EQ(reach_site(at(2, 2, 0, 8), 0, false), Turn::Proceed) << "rank 0 has left";
}

TEST_F(RepeatedMeetingTest, WhoArrivesDuringAMeetingMeetsAfterIt) {
  ASSERT_EQ(reach_site(at(0, 1, 0, 8)), Turn::Entered);
  ASSERT_EQ(reach_site(at(1, 2, 0, 8)), Turn::Second);
  ASSERT_EQ(reach_site(at(2, 1, 0, 8)), Turn::Entered);
  const std::uint32_t waiting = slot;
  ASSERT_EQ(reach_site(at(3, 2, 0, 8)), Turn::Entered);
  EXPECT_EQ(arrive_again(*table, 0, waiting), Turn::Entered) << "the first meeting is active";
  ASSERT_TRUE(close_meeting(*table, table->number));
  EXPECT_EQ(arrive_again(*table, 0, waiting), Turn::First);
  EXPECT_EQ(turn_at(*table, slot, 3, 103), Turn::Second);
}

TEST_F(RepeatedMeetingTest, NobodyMeetsItselfWhenItTriesAgain) {
  ASSERT_EQ(reach_site(at(0, 3, 0, 8)), Turn::Entered);
  EXPECT_EQ(arrive_again(*table, 0, slot), Turn::Entered);
  EXPECT_NE(own_entry(*table, slot, 0, 100), nullptr);
}

TEST_F(RepeatedMeetingTest, ADeferredOperationIsMetAgainAndAgain) {
  TableEntry put = at(0, 2, 0, 8);
  put.state = EntryState::Pending;
  put.steerable = 1;
  ASSERT_EQ(reach_site(put), Turn::Entered);
  const std::uint32_t pending = slot;
  EXPECT_EQ(turn_at(*table, pending, 0, 100), Turn::Entered);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(reach_site(at(1, 1, 0, 8)), Turn::First);
    EXPECT_EQ(table->second_waits, 0u) << "the first party closes the meeting";
    EXPECT_EQ(table->forced, 1u);
    ASSERT_TRUE(close_meeting(*table, table->number));
  }
  EXPECT_EQ(turn_at(*table, pending, 0, 100), Turn::Second);
}

TEST_F(RepeatedMeetingTest, OthersDoNotStopATaskThatWaits) {
  ASSERT_EQ(reach_site(at(0, 1, 0, 8)), Turn::Entered);
  ASSERT_EQ(reach_site(at(1, 2, 0, 8)), Turn::Second);
  EXPECT_EQ(turn_of(*table, 5, 105), Turn::Entered);
  table->repeats = 0;
  EXPECT_EQ(turn_of(*table, 5, 105), Turn::Proceed);
}

}  // namespace
}  // namespace photofinish
