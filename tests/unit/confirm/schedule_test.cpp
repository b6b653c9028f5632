#include "confirm/schedule.h"

#include <gtest/gtest.h>

#include "../launch/temp_dir.h"
#include "frontend/mpi/table/mpi_call.h"
#include "trace/confirmations_file.h"

namespace photofinish {
namespace {

struct ScheduleTest : ::testing::Test {
  testing::TempDir temporary;
  const std::string directory = temporary.path();
};

TEST_F(ScheduleTest, IsReadAsItWasWritten) {
  Schedule schedule{.kind = RaceKind::Message,
                    .first = 1,
                    .unit_ms = 10,
                    .pause_ms = 40,
                    .patience_ms = 3000,
                    .seed = 7};
  schedule.sides.push_back({.kind = AccessKind::Put,
                            .call = MpiCall::MPI_Put,
                            .places = {1, ~std::uint64_t{0}},
                            .rank = WorldRank(3),
                            .arrival = 9});
  schedule.matches = {{WorldRank(2), 5}, {kProcNull, kAnyTag}};
  schedule.steered = 1;
  EXPECT_FALSE(read_schedules(directory));
  ASSERT_TRUE(write_schedules(directory, {{}, false}));
  EXPECT_FALSE(read_schedules(directory)) << "nothing to do";
  ASSERT_TRUE(write_schedules(directory, {{schedule, schedule}, true}));
  const auto all = read_schedules(directory);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->by_letters);
  ASSERT_EQ(all->findings.size(), 2u);
  const Schedule* read = &all->findings[1];
  EXPECT_EQ(read->kind, RaceKind::Message);
  EXPECT_EQ(read->sides[0].call, MpiCall::MPI_Put);
  EXPECT_EQ(read->sides[0].places, schedule.sides[0].places);
  EXPECT_EQ(read->sides[0].rank, WorldRank(3));
  EXPECT_EQ(read->sides[0].arrival, 9u);
  EXPECT_EQ(read->matches[1].source, kProcNull);
  EXPECT_EQ(read->matches[0].tag, 5);
  EXPECT_EQ(read->patience_ms, 3000u);
  EXPECT_EQ(read->steered, 1u);
}

TEST_F(ScheduleTest, ARankTakesPartInTheFindingThatHoldsIt) {
  Schedules schedules{{Schedule{}, Schedule{}}};
  for (int rank = 0; rank < 4; ++rank)
    schedules.findings[static_cast<std::size_t>(rank / 2)].sides.push_back(
        {.rank = WorldRank(rank)});
  EXPECT_EQ(finding_of(schedules, WorldRank(1)), 0u);
  EXPECT_EQ(finding_of(schedules, WorldRank(2)), 1u);
  EXPECT_EQ(finding_of(schedules, WorldRank(7)), 0u);
}

Account met(std::int32_t rank, std::uint32_t finding, std::uint32_t by_letters) {
  Account account{};
  account.rank = rank;
  account.finding = finding;
  account.by_letters = by_letters;
  account.met = account.forced = 1;
  account.ranks[0] = 2;
  account.ranks[1] = 3;
  account.reached[0] = 1;
  return account;
}

TEST(Verdict, ByLettersBothMustHaveKeptTheMeeting) {
  EXPECT_TRUE(verdict_of({met(2, 0, 0)}, 0).seen);
  EXPECT_FALSE(verdict_of({met(2, 0, 0)}, 1).seen);
  EXPECT_FALSE(verdict_of({met(2, 0, 1)}, 0).seen);
  Account other = met(3, 0, 1);
  EXPECT_TRUE(verdict_of({met(2, 0, 1), other}, 0).seen);
  EXPECT_EQ(verdict_of({met(2, 0, 1), other}, 0).reached[0], 2u);
  other.arrivals[1] = 7;
  EXPECT_FALSE(verdict_of({met(2, 0, 1), other}, 0).seen) << "two meetings, each kept by one";
}

TEST(Verdict, AnOrderIsForcedIfBothSaySo) {
  Account other = met(3, 0, 0);
  EXPECT_TRUE(verdict_of({met(2, 0, 0), other}, 0).forced);
  other.forced = 0;
  EXPECT_FALSE(verdict_of({met(2, 0, 0), other}, 0).forced);
  EXPECT_FALSE(verdict_of({other, met(2, 0, 0)}, 0).forced);
}

TEST_F(ScheduleTest, AnAccountOutlivesItsRank) {
  auto* account = static_cast<Account*>(
      map_shared_file(account_path(directory, WorldRank(1)), sizeof(Account)));
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
  Confirmation confirmation{
      .key = 12, .state = ConfirmState::Harmful, .orders = {}, .difference = {"- a", "+ b"}};
  confirmation.orders.push_back({.name = "the put first",
                                 .runs = 2,
                                 .seen = true,
                                 .forced = true,
                                 .ranks = {WorldRank(0), WorldRank(1)},
                                 .arrivals = {1, 2},
                                 .outcome = "exit code 0"});
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
