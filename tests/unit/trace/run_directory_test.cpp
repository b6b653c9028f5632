#include "trace/run_directory.h"
#include "trace/shared_directory.h"

#include <chrono>
#include <filesystem>
#include <set>

#include "../launch/temp_dir.h"
#include "trace/format.h"

namespace photofinish {
namespace {

using testing::read_file;
using testing::ScopedDirectory;
using testing::TempDir;

const RunInfo kInfo{"0123456789abcdef", {"./app", "a \"quoted\" word", "tab\there"}};

std::set<std::string> names_in(const std::string& directory) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.insert(entry.path().filename());
  return names;
}

TEST(RunDirectory, IsMadeWithWhatWasRun) {
  TempDir dir;
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  EXPECT_EQ(names_in(dir / "run"), std::set<std::string>{"run.json"});
  const std::string text = read_file(dir / "run/run.json");
  EXPECT_NE(text.find(R"("command": ["./app", "a \"quoted\" word", "tab\u0009here"])"),
            std::string::npos)
      << text;
}

TEST(RunDirectory, AnEarlierRunIsKeptUnlessReportedOtherwise) {
  TempDir dir;
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  dir.write("run/rank-000000.trace", "events");
  dir.write("run/rank-1234567.live", "more");
  const auto refused = create_run_directory(dir / "run", {"other", {}}, false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--overwrite"), std::string::npos)
      << refused.error().message;
  EXPECT_EQ(read_file(dir / "run/rank-000000.trace"), "events");
  EXPECT_TRUE(holds_token(dir / "run", kInfo.token));

  ASSERT_TRUE(create_run_directory(dir / "run", {"other", {}}, true));
  EXPECT_EQ(names_in(dir / "run"), std::set<std::string>{"run.json"});
  EXPECT_TRUE(holds_token(dir / "run", "other"));
}

TEST(RunDirectory, ForeignFilesAreNeverTouched) {
  for (const char* name :
       {"thesis.tex", ".hidden", "rank-notes.trace", "rank-1.trace", "rank--00001.live",
        "run.json.bak", "rank-000000.trace.gz", "rank-000000.trace/inside", "sub/run.json"}) {
    TempDir dir;
    ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
    dir.write("run/rank-000001.trace", "events");
    dir.write(std::string("run/") + name, "precious");
    const auto before = names_in(dir / "run");
    for (const bool overwrite : {false, true}) {
      EXPECT_FALSE(create_run_directory(dir / "run", {"other", {}}, overwrite)) << name;
      EXPECT_EQ(read_file(dir / (std::string("run/") + name)), "precious") << name;
    }
    EXPECT_TRUE(holds_token(dir / "run", kInfo.token)) << name;
    EXPECT_EQ(names_in(dir / "run"), before) << name;
  }
}

TEST(RunDirectory, AnEmptyDirectoryIsTaken) {
  TempDir dir;
  std::filesystem::create_directory(dir / "run");
  EXPECT_TRUE(create_run_directory(dir / "run", kInfo, false));
}

TEST(RunDirectory, WhatIsNoDirectoryOrCannotBeMadeSaysWhy) {
  TempDir dir;
  dir.write("file", "text");
  const auto file = create_run_directory(dir / "file", kInfo, true);
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("is not a directory"), std::string::npos)
      << file.error().message;
  EXPECT_EQ(read_file(dir / "file"), "text");
  const auto missing = create_run_directory(dir / "no/such/place", kInfo, true);
  ASSERT_FALSE(missing);
  EXPECT_NE(
      missing.error().message.find("No such file or directory; choose another place with -o DIR"),
      std::string::npos)
      << missing.error().message;
}

TEST(RunDirectory, TheNextFreeNameIsFound) {
  TempDir dir;
  dir.write("run.2", "somebody's file");
  for (const char* expected : {"run", "run.3", "run.4"}) {
    const auto made = create_next_run_directory(dir / "run", kInfo);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(*made, dir / expected);
    EXPECT_TRUE(holds_token(*made, kInfo.token));
  }
  EXPECT_EQ(read_file(dir / "run.2"), "somebody's file");
  EXPECT_FALSE(create_next_run_directory(dir / "no/such/place", kInfo));
}

TEST(RunDirectory, HoldsOnlyItsOwnToken) {
  TempDir dir;
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  EXPECT_TRUE(holds_token(dir / "run", kInfo.token));
  EXPECT_FALSE(holds_token(dir / "run", "0123456789abcdee"));
  EXPECT_FALSE(holds_token(dir / "run", ""));
  EXPECT_FALSE(holds_token(dir / "run", "./app")) << "a word of the command is no token";
  EXPECT_FALSE(holds_token(dir / "elsewhere", kInfo.token));
}

TEST(RunDirectory, TokensDiffer) {
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(new_token());
  EXPECT_EQ(tokens.size(), 100u);
  EXPECT_EQ(tokens.begin()->size(), 16u);
}

TEST(RunDirectory, RecordedRanksAreSortedNumbers) {
  TempDir dir;
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  EXPECT_TRUE(recorded_ranks(dir / "run")->empty());
  for (const int rank : {11, 2, 1'000'000, 0}) dir.write(trace_path("run", WorldRank(rank)), "");
  for (const char* name :
       {"rank-000004.live", "rank-x.trace", "rank-99999999999999.trace", "rank-000005.trace~"})
    dir.write(std::string("run/") + name, "");
  const auto ranks = recorded_ranks(dir / "run");
  ASSERT_TRUE(ranks) << ranks.error().message;
  EXPECT_EQ(*ranks, (std::vector{WorldRank(0), WorldRank(2), WorldRank(11), WorldRank(1'000'000)}));
}

TEST(RunDirectory, WhatIsNoRunIsAnError) {
  TempDir dir;
  dir.write("file", "");
  for (const std::string& path : {dir.path(), dir / "file", dir / "missing"}) {
    const auto ranks = recorded_ranks(path);
    ASSERT_FALSE(ranks) << path;
    EXPECT_TRUE(ranks.error().message.starts_with(path)) << ranks.error().message;
  }
}

TEST(RunDirectory, PathsAreMadeAbsolute) {
  TempDir dir;
  ScopedDirectory here(dir.path());
  EXPECT_EQ(absolute_path("run"), dir / "run");
  EXPECT_EQ(absolute_path("/a/b"), "/a/b");
}

// NFS keeps a removed file under such a name while a process has it open.
TEST(RunDirectory, RemovedFilesThatAreStillOpenAreNoFiles) {
  TempDir dir;
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  remove_run_directory(dir / "run");
  dir.write("run/.nfs00000000034a2e1900000002", "open");
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  EXPECT_FALSE(create_run_directory(dir / "run", kInfo, false));
  ASSERT_TRUE(create_run_directory(dir / "run", {"other", {}}, true));
  EXPECT_EQ(names_in(dir / "run"),
            (std::set<std::string>{"run.json", ".nfs00000000034a2e1900000002"}));
  dir.write("run/.nfs-notes", "precious");
  EXPECT_FALSE(create_run_directory(dir / "run", kInfo, true));
}

TEST(RunDirectory, ALocalDirectoryIsNotWaitedFor) {
  TempDir dir;
  EXPECT_FALSE(is_on_network(dir / "not/there/yet.run"));
  EXPECT_TRUE(is_on_network("/proc/self"));  // not known to be local
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(sees_token(dir / "run", kInfo.token, 600));
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60));
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  EXPECT_TRUE(sees_token(dir / "run", kInfo.token, 0));
  EXPECT_FALSE(sees_token(dir / "run", "other", 600));
}

TEST(RunDirectory, SaysThatNothingIsRecorded) {
  TempDir dir;
  ASSERT_TRUE(create_run_directory(dir / "run", kInfo, false));
  EXPECT_FALSE(is_noted_unrecorded(dir / "run"));
  note_unrecorded(dir / "run");
  EXPECT_TRUE(is_noted_unrecorded(dir / "run"));
  remove_run_directory(dir / "run");
  EXPECT_FALSE(std::filesystem::exists(dir / "run"));
}

}  // namespace
}  // namespace photofinish
