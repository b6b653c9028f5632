#include "explore/state_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "../launch/temp_dir.h"
#include "explore/object_order.h"
#include "trace/run_directory.h"

namespace photofinish::testing {
namespace {

ExploreState some_state() {
  ExploreState state;
  KnownOutcome outcome;
  outcome.outcome.lines = {"sum 1"};
  outcome.outcome.how = "exit code 0";
  state.outcomes = {outcome, {{}, true, {"rank 0 waits"}}};
  state.runs = {{{{0, {{WorldRank(1), 0}}}, {kObjectLine | 7, {{WorldRank(2), 0}}}}, 1, 6}};
  state.pending = {{{{0, {{WorldRank(2), 0}}}}, 1, 0}};
  state.sites = {{{0, {0}}}};
  state.locations = {"a.c:1"};
  state.objects[kObjectLine | 7] = "a lock";
  state.ranks = 3;
  return state;
}

TEST(StateFile, IsReadAsWritten) {
  const TempDir directory;
  EXPECT_FALSE(has_explore_state(directory.path()));
  const ExploreState state = some_state();
  ASSERT_TRUE(write_explore_state(directory.path(), state));
  ASSERT_TRUE(has_explore_state(directory.path()));
  const auto read = read_explore_state(directory.path());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->runs[0].matching, state.runs[0].matching);
  EXPECT_EQ(read->runs[0].outcome, 1u);
  EXPECT_EQ(read->pending[0].matching, state.pending[0].matching);
  EXPECT_EQ(read->outcomes[0].outcome.lines, state.outcomes[0].outcome.lines);
  EXPECT_TRUE(read->outcomes[1].deadlock);
  EXPECT_EQ(read->sites, state.sites);
  EXPECT_EQ(read->objects, state.objects);
  EXPECT_EQ(read->ranks, 3u);
}

TEST(StateFile, ADamagedFileIsAnError) {
  const TempDir directory;
  ASSERT_TRUE(write_explore_state(directory.path(), some_state()));
  const std::string path = directory.path() + "/" + std::string(kExploredFile);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(40);
  file.put('\x7f');
  file.close();
  const auto read = read_explore_state(directory.path());
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find(path), std::string::npos);
}

TEST(ObjectOrder, IsReadAsWritten) {
  const TempDir directory;
  ASSERT_TRUE(write_object_orders(directory.path(), {{kObjectLine | 3, {1, -1, 2}}}));
  const auto read = read_object_orders(directory.path());
  ASSERT_TRUE(read);
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ((*read)[0].line, kObjectLine | 3);
  EXPECT_EQ((*read)[0].ranks, (std::vector<std::int32_t>{1, -1, 2}));
  const ObjectRecord record = read_object_log(directory.path());
  EXPECT_TRUE(record.entries.empty());
  EXPECT_FALSE(record.full || record.given_up);
}

}  // namespace
}  // namespace photofinish::testing
