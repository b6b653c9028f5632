#include "confirm/board.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/ids.h"

namespace photofinish {
namespace {

Posting at(int rank, std::uint32_t sides, std::int64_t begin, std::int64_t bytes, int owner = 0) {
  Posting posting{};
  posting.state = PostingState::Waits;
  posting.sides = sides;
  posting.rank = rank;
  posting.owner = owner;
  posting.task = 100 + static_cast<std::uint64_t>(rank);
  posting.arrival[0] = 3;
  posting.arrival[1] = 5;
  EXPECT_TRUE(add_piece(posting, {begin, bytes, {}}));
  return posting;
}

struct BoardTest : testing::Test {
  std::unique_ptr<Board> board = std::make_unique<Board>();
  std::uint32_t place = 0;
  Turn come(const Posting& posting, int first = 0, bool post = true) {
    return arrive(*board, posting, first, post, place);
  }
};

TEST_F(BoardTest, TwoSidesThatShareBytesMeet) {
  EXPECT_EQ(come(at(0, 1, 0, 8)), Turn::Posted);
  EXPECT_EQ(come(at(1, 2, 4, 8)), Turn::Second);
  EXPECT_EQ(turn_of(*board, 0, 100), Turn::First);
  EXPECT_EQ(turn_of(*board, 1, 101), Turn::Second);
  EXPECT_EQ(turn_of(*board, 2, 102), Turn::GoOn);
  EXPECT_EQ(board->first.arrival, 3u);
  EXPECT_EQ(board->second.arrival, 5u);
  EXPECT_EQ(board->forced, 1u);
  EXPECT_EQ(board->first_done, 0u);
}

TEST_F(BoardTest, TheOrderDecidesWhoGoesFirst) {
  EXPECT_EQ(come(at(0, 1, 0, 8), 1), Turn::Posted);
  EXPECT_EQ(come(at(1, 2, 4, 8), 1), Turn::First);
  EXPECT_EQ(turn_of(*board, 0, 100), Turn::Second);
}

TEST_F(BoardTest, NothingElseIsAMeeting) {
  ASSERT_EQ(come(at(0, 1, 0, 8)), Turn::Posted);
  EXPECT_EQ(come(at(1, 2, 8, 8), 0, false), Turn::GoOn) << "other bytes";
  EXPECT_EQ(come(at(1, 2, 0, 8, 3), 0, false), Turn::GoOn) << "another owner";
  EXPECT_EQ(come(at(1, 1, 0, 8), 0, false), Turn::GoOn) << "the same side";
  EXPECT_EQ(come(at(0, 2, 0, 8), 0, false), Turn::GoOn) << "itself";
  EXPECT_EQ(board->met, 0u);
}

TEST_F(BoardTest, ColumnsBesideEachOtherShareNothing) {
  Posting even = at(0, 1, 0, 8), odd = at(1, 2, 8, 8);
  even.pieces = odd.pieces = 0;
  ASSERT_TRUE(add_piece(even, {0, 8, {{100, 16}}}));
  ASSERT_TRUE(add_piece(odd, {8, 8, {{100, 16}}}));
  ASSERT_EQ(come(even), Turn::Posted);
  EXPECT_EQ(come(odd, 0, false), Turn::GoOn);
}

TEST_F(BoardTest, WhatDoesNotFitMeetsNobody) {
  Posting posting = at(0, 1, 0, 8);
  EXPECT_FALSE(add_piece(posting, {0, 1, {{2, 2}, {2, 4}, {2, 8}, {2, 16}}}));
  while (posting.pieces < kPieces) ASSERT_TRUE(add_piece(posting, {0, 1, {}}));
  EXPECT_FALSE(add_piece(posting, {0, 1, {}}));
}

TEST_F(BoardTest, AnExclusiveLockKeepsApart) {
  const HeldLock exclusive{7, 0, 1}, shared{7, 0, 0}, all{7, kAnySource.value, 0}, other{8, 0, 1};
  const auto with = [](Posting posting, const HeldLock& lock) {
    posting.lock[posting.locks++] = lock;
    return posting;
  };
  ASSERT_EQ(come(with(at(0, 1, 0, 8), exclusive)), Turn::Posted);
  EXPECT_EQ(come(with(at(1, 2, 0, 8), exclusive), 0, false), Turn::GoOn);
  EXPECT_EQ(come(with(at(1, 2, 0, 8), shared), 0, false), Turn::GoOn);
  EXPECT_EQ(come(with(at(1, 2, 0, 8), all), 0, false), Turn::GoOn);
  EXPECT_EQ(come(with(at(1, 2, 0, 8), other), 0, false), Turn::Second);
}

TEST_F(BoardTest, OnePlaceThatIsBothSidesGoesByRank) {
  ASSERT_EQ(come(at(2, 3, 0, 8)), Turn::Posted);
  EXPECT_EQ(come(at(1, 3, 0, 8)), Turn::First);
  EXPECT_EQ(board->first.rank, 1);
}

TEST_F(BoardTest, WhatATaskHasInFlightMeetsWhatItComesTo) {
  Posting flight = at(0, 1, 0, 8);
  flight.state = PostingState::GoesOn;
  flight.steerable = 1;
  ASSERT_EQ(come(flight, 1), Turn::Posted);
  EXPECT_EQ(come(at(0, 2, 0, 8), 1), Turn::First);
  EXPECT_EQ(board->forced, 1u);
  EXPECT_EQ(board->first_done, 0u) << "what was put off waits for it";
}

TEST_F(BoardTest, WhatWasStartedAndCannotBeSteeredIsSeenOnly) {
  Posting flight = at(0, 1, 0, 8);
  flight.state = PostingState::GoesOn;
  ASSERT_EQ(come(flight), Turn::Posted);
  EXPECT_EQ(come(at(1, 2, 0, 8)), Turn::Second);
  EXPECT_EQ(board->forced, 0u);
  EXPECT_EQ(board->first_done, 1u) << "nobody would tell";
}

TEST_F(BoardTest, ThereIsOneMeeting) {
  come(at(0, 1, 0, 8));
  come(at(1, 2, 0, 8));
  EXPECT_EQ(come(at(2, 1, 0, 8)), Turn::GoOn);
  EXPECT_EQ(come(at(3, 2, 0, 8)), Turn::GoOn);
}

TEST_F(BoardTest, AFullBoardLetsPass) {
  for (std::uint32_t i = 0; i < kPostings; ++i)
    ASSERT_EQ(come(at(static_cast<int>(i), 1, 0, 8)), Turn::Posted);
  EXPECT_EQ(come(at(1000, 1, 0, 8)), Turn::GoOn);
  EXPECT_EQ(come(at(1001, 2, 0, 8)), Turn::Second);
}

}  // namespace
}  // namespace photofinish
