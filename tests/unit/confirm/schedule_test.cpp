#include "confirm/schedule.h"

#include <gtest/gtest.h>

#include "../launch/temp_dir.h"
#include "trace/confirmations_file.h"

namespace photofinish {
namespace {

struct ScheduleTest : ::testing::Test {
  testing::TempDir temporary;
  const std::string directory = temporary.path();
};

TEST_F(ScheduleTest, IsReadAsItWasWritten) {
  Schedule schedule{.kind = RaceKind::Message, .first = 1, .unit_ms = 10, .pause_ms = 40, .patience_ms = 3000, .seed = 7};
  schedule.sides.push_back({.kind = AccessKind::Put, .call = Call::MPI_Put, .places = {1, ~std::uint64_t{0}}, .rank = WorldRank(3), .arrival = 9});
  schedule.matches = {{WorldRank(2), 5}, {kProcNull, kAnyTag}};
  schedule.steered = 1;
  ASSERT_TRUE(write_schedule(directory, schedule));
  const auto read = read_schedule(directory);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, RaceKind::Message);
  EXPECT_EQ(read->sides[0].call, Call::MPI_Put);
  EXPECT_EQ(read->sides[0].places, schedule.sides[0].places);
  EXPECT_EQ(read->sides[0].rank, WorldRank(3));
  EXPECT_EQ(read->sides[0].arrival, 9u);
  EXPECT_EQ(read->matches[1].source, kProcNull);
  EXPECT_EQ(read->matches[0].tag, 5);
  EXPECT_EQ(read->patience_ms, 3000u);
  EXPECT_EQ(read->steered, 1u);
}

TEST_F(ScheduleTest, AnAccountOutlivesItsRank) {
  auto* account = static_cast<Account*>(map_shared_file(account_path(directory, WorldRank(1)), sizeof(Account)));
  ASSERT_NE(account, nullptr);
  EXPECT_EQ(account->met, 0u);
  account->reached[1] = 4;
  account->met = 1;
  const auto accounts = read_accounts(directory, 3);
  ASSERT_EQ(accounts.size(), 1u);
  EXPECT_EQ(accounts[0].reached[1], 4u);
  EXPECT_EQ(accounts[0].met, 1u);
}

TEST_F(ScheduleTest, ConfirmationsAreKept) {
  EXPECT_TRUE(read_confirmations(directory)->empty());
  Confirmation confirmation{.key = 12, .state = ConfirmState::Harmful, .orders = {}, .difference = {"- a", "+ b"}};
  confirmation.orders.push_back({.name = "the put first", .runs = 2, .seen = true, .forced = true, .ranks = {WorldRank(0), WorldRank(1)}, .arrivals = {1, 2}, .outcome = "exit code 0"});
  confirmation.reached[1] = 8;
  ASSERT_TRUE(write_confirmations(directory, {confirmation}));
  const auto read = read_confirmations(directory);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().state, ConfirmState::Harmful);
  EXPECT_EQ(read->front().difference, confirmation.difference);
  EXPECT_EQ(read->front().orders[0].arrivals, confirmation.orders[0].arrivals);
  EXPECT_EQ(read->front().reached[1], 8u);
}

}  // namespace
}  // namespace photofinish
