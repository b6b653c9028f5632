#include "trace/common_time.h"

#include "recording.h"

namespace photofinish::testing {
namespace {

void record(const std::string& directory, int rank, const HostClock& clock) {
  RankDefinition definition = rank_definition();
  definition.rank = WorldRank(rank);
  definition.clock = clock;
  auto writer = TraceWriter::create(directory, definition, 1.0, [](const std::string&) {});
  ASSERT_TRUE(writer);
  (*writer)->open_lane(task(0));
  (*writer)->end(RankState::Finalized, 0);
}

// Each rank measures the length of a tick. If one measurement is interrupted, two differ by parts
// per thousand, although the counter is the same.
TEST(CommonTime, RanksOfOneCounterDoNotDriftApart) {
  TempDir directory;
  const std::uint64_t start = 1'700'000'000'000'000'000;
  record(directory.path(), 0, {.id = 5, .ns_per_tick = 0.400, .tick = 1'000, .ns = start});
  record(directory.path(), 1, {.id = 5, .ns_per_tick = 0.402, .tick = 6'000, .ns = start + 9'000});
  record(directory.path(), 2, {.id = 6, .ns_per_tick = 0.500, .tick = 77, .ns = start - 1'000});
  const CommonTime time =
      common_time(directory.path(), {WorldRank(0), WorldRank(1), WorldRank(2), WorldRank(3)});
  ASSERT_EQ(time.ranks.size(), 3u);
  EXPECT_EQ(time.since_1970, start - 1'000);
  // Tick 2 500 001 000, one second later, in the nanoseconds of each rank.
  EXPECT_EQ(time.ranks.at(WorldRank(0)).of(1'000'000'000), 1'000'001'000u);
  EXPECT_EQ(time.ranks.at(WorldRank(1)).of(1'004'997'990), 1'000'001'000u);
  EXPECT_EQ(time.ranks.at(WorldRank(2)).of(500), 500u);
}

}  // namespace
}  // namespace photofinish::testing
