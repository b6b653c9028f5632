#include "model/rank_list.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

std::set<WorldRank> ranks(std::initializer_list<int> numbers) {
  std::set<WorldRank> made;
  for (const int number : numbers) made.insert(WorldRank(number));
  return made;
}

TEST(RankList, NumbersAndRanges) {
  EXPECT_EQ(*parse_rank_list("0"), ranks({0}));
  EXPECT_EQ(*parse_rank_list("0,2-5"), ranks({0, 2, 3, 4, 5}));
  EXPECT_EQ(*parse_rank_list("7-7,3"), ranks({3, 7}));
  EXPECT_EQ(*parse_rank_list("1,1,0-2,2"), ranks({0, 1, 2}));
  EXPECT_EQ(*parse_rank_list("16777215"), ranks({16777215}));
  EXPECT_EQ(*parse_rank_list("4,"), ranks({4}));
}

TEST(RankList, NothingIsNoRank) { EXPECT_TRUE(parse_rank_list("")->empty()); }

TEST(RankList, WhatIsNoRankIsNamed) {
  for (const char* wrong : {"x", "1-x", "-", "-1", "5-2", "1-2-3", "1.5", " 1", "+1", "0x1",
                            "99999999999", "16777216", "all"}) {
    const auto list = parse_rank_list(std::string("0,") + wrong);
    ASSERT_FALSE(list) << wrong;
    EXPECT_EQ(
        list.error().message,
        "'" + std::string(wrong) + "' is not a rank or a range of ranks; write for example 0,2-5");
  }
  EXPECT_FALSE(parse_rank_list(",1"));
  EXPECT_FALSE(parse_rank_list("1,,2"));
}

}  // namespace
}  // namespace photofinish
