#include "confirm/schedule.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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
                            .also = {{AccessKind::Load, Call::load}},
                            .site_keys = {1, ~std::uint64_t{0}},
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
  EXPECT_TRUE(all->by_messages);
  ASSERT_EQ(all->findings.size(), 2u);
  const Schedule* read = &all->findings[1];
  EXPECT_EQ(read->kind, RaceKind::Message);
  EXPECT_EQ(read->sides[0].call, MpiCall::MPI_Put);
  EXPECT_EQ(read->sides[0].also, schedule.sides[0].also);
  EXPECT_EQ(read->sides[0].site_keys, schedule.sides[0].site_keys);
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

RankResult met(std::int32_t rank, std::uint32_t finding, std::uint32_t by_messages) {
  RankResult result{};
  result.rank = rank;
  result.finding = finding;
  result.by_messages = by_messages;
  result.met = result.forced = 1;
  result.ranks[0] = 2;
  result.ranks[1] = 3;
  result.reached[0] = 1;
  return result;
}

TEST(Verdict, ByMessagesBothRanksMustHaveStoredTheMeeting) {
  EXPECT_TRUE(verdict_of({met(2, 0, 0)}, 0).seen);
  EXPECT_FALSE(verdict_of({met(2, 0, 0)}, 1).seen);
  EXPECT_FALSE(verdict_of({met(2, 0, 1)}, 0).seen);
  RankResult other = met(3, 0, 1);
  EXPECT_TRUE(verdict_of({met(2, 0, 1), other}, 0).seen);
  EXPECT_EQ(verdict_of({met(2, 0, 1), other}, 0).reached[0], 2u);
  other.arrivals[1] = 7;
  EXPECT_FALSE(verdict_of({met(2, 0, 1), other}, 0).seen)
      << "two meetings, each stored by one rank";
}

TEST(Verdict, AnOrderIsForcedIfBothSaySo) {
  RankResult other = met(3, 0, 0);
  EXPECT_TRUE(verdict_of({met(2, 0, 0), other}, 0).forced);
  other.forced = 0;
  EXPECT_FALSE(verdict_of({met(2, 0, 0), other}, 0).forced);
  EXPECT_FALSE(verdict_of({other, met(2, 0, 0)}, 0).forced);
}

TEST_F(ScheduleTest, AResultOutlivesItsRank) {
  auto* result = static_cast<RankResult*>(
      map_shared_file(rank_result_path(directory, WorldRank(1)), sizeof(RankResult)));
  ASSERT_NE(result, nullptr);
  EXPECT_EQ(result->met, 0u);
  result->reached[1] = 4;
  result->met = 1;
  const auto results = read_rank_results(directory, 3);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].reached[1], 4u);
  EXPECT_EQ(results[0].met, 1u);
}

TEST_F(ScheduleTest, ConfirmationsAreStored) {
  EXPECT_TRUE(read_confirmations(directory)->empty());
  Confirmation confirmation{.key = 12,
                            .state = ConfirmState::Harmful,
                            .orders = {},
                            .control = {},
                            .difference = {"- a", "+ b"}};
  confirmation.orders.push_back({.name = "the put first",
                                 .runs = 4,
                                 .observed = 3,
                                 .forced = 2,
                                 .ranks = {WorldRank(0), WorldRank(1)},
                                 .arrivals = {1, 2},
                                 .outcome = {},
                                 .outcomes = {{"sum 570", 2}, {"sum 560", 1}}});
  confirmation.every = true;
  confirmation.control = {{"sum 570", 3}};
  confirmation.reached[1] = 8;
  ASSERT_TRUE(write_confirmations(directory, {confirmation}));
  const auto read = read_confirmations(directory);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().state, ConfirmState::Harmful);
  EXPECT_EQ(read->front().difference, confirmation.difference);
  EXPECT_EQ(read->front().orders[0].arrivals, confirmation.orders[0].arrivals);
  EXPECT_EQ(read->front().orders[0].outcomes, confirmation.orders[0].outcomes);
  EXPECT_FALSE(read->front().orders[0].is_forced()) << "in 2 of 3 runs";
  EXPECT_EQ(read->front().control, confirmation.control);
  EXPECT_TRUE(read->front().every);
  EXPECT_EQ(read->front().reached[1], 8u);
}

TEST(Verdict, EveryMeetingOfARunMustBeForced) {
  RankResult one = met(2, 0, 0), other = met(3, 0, 0);
  one.meetings = one.forced_meetings = 7;
  other.meetings = 3;
  other.forced_meetings = 3;
  EXPECT_EQ(verdict_of({one, other}, 0).meetings, 10u);
  EXPECT_TRUE(verdict_of({one, other}, 0).forced);
  other.forced_meetings = 2;
  EXPECT_FALSE(verdict_of({one, other}, 0).forced);
}

struct StallTest : ScheduleTest {
  std::uint64_t* words = nullptr;
  void SetUp() override {
    ScheduleTest::SetUp();
    auto* memory = static_cast<char*>(
        map_shared_file(directory + kTableFile, words_offset(2) + 6 * sizeof(std::uint64_t)));
    ASSERT_NE(memory, nullptr);
    words = reinterpret_cast<std::uint64_t*>(memory + words_offset(2));
  }
};

TEST_F(StallTest, OnlyIfAllRanksWaitAndNoneProgresses) {
  StallWatch watch(directory, 2, 3);
  words[0] = words[1] = words[2] = 7;
  EXPECT_FALSE(watch.is_stalled()) << "the first check has nothing to compare with";
  EXPECT_TRUE(watch.is_stalled());
  words[1] = 9;
  EXPECT_FALSE(watch.is_stalled()) << "rank 1 was in another call";
  EXPECT_TRUE(watch.is_stalled());
  words[2] = 8;
  EXPECT_FALSE(watch.is_stalled());
  EXPECT_FALSE(watch.is_stalled()) << "rank 2 computes";
}

TEST_F(StallTest, AfterFinalizeNobodyHangs) {
  StallWatch watch(directory, 2, 3);
  for (int rank : {0, 1, 2}) words[rank] = 5 | kFinalizedWord;
  watch.is_stalled();
  EXPECT_FALSE(watch.is_stalled());
  words[1] = 5;
  watch.is_stalled();
  EXPECT_TRUE(watch.is_stalled()) << "rank 1 waits for ranks that have finished";
}

TEST_F(StallTest, ARankThatHadNoCoreDoesNotHang) {
  const pid_t child = fork();
  if (child == 0)
    for (volatile bool forever = true; forever;) {
    }
  words[3] = static_cast<std::uint64_t>(child);  // the process of rank 0
  words[0] = words[1] = words[2] = 7;
  StallWatch watch(directory, 2, 3);
  EXPECT_FALSE(watch.is_stalled());
  const std::uint64_t before = process_times(words[3]).cpu_ns;
  EXPECT_FALSE(watch.is_stalled()) << "it had no core yet";
  while (process_times(words[3]).cpu_ns - before < 400'000'000) usleep(10'000);
  EXPECT_TRUE(watch.is_stalled()) << "it had one, and did not progress";
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(StallWatch, WithoutTheFileNothingIsKnown) {
  StallWatch watch("/no/such/directory", 1, 2);
  watch.is_stalled();
  EXPECT_FALSE(watch.is_stalled());
}

}  // namespace
}  // namespace photofinish
