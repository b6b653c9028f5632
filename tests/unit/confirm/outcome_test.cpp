#include "confirm/outcome.h"

#include <gtest/gtest.h>

namespace photofinish {
namespace {

using Lines = std::vector<std::string>;

Outcome printed(Lines lines, int code = 0) {
  return {.code = code, .how = "", .lines = std::move(lines), .files = {}};
}

TEST(Outcome, OrderOfLinesDoesNotMatter) {
  EXPECT_TRUE(compare(printed({"a", "b", "b"}), printed({"b", "a", "b"}), 0).empty());
  const Difference once = compare(printed({"a", "b", "b"}), printed({"a", "b"}), 0);
  EXPECT_EQ(once.only_one, Lines{"b"});
  EXPECT_TRUE(once.only_other.empty());
}

TEST(Outcome, ExitCodesDiffer) {
  const Difference difference = compare(printed({"a"}), printed({"a"}, 3), 0);
  EXPECT_EQ(difference.only_one, Lines{"exit code 0"});
  EXPECT_EQ(difference.only_other, Lines{"exit code 3"});
}

TEST(Outcome, NoEndIsNoExitCode) {
  Outcome hangs = printed({"a"}, 143);
  hangs.ended = false;
  hangs.how = "no end after 5 s";
  EXPECT_EQ(compare(printed({"a"}), hangs, 0).only_other, Lines{"no end after 5 s"});
}

TEST(Outcome, NumbersWithinTheTolerance) {
  const Outcome one = printed({"norm 1.00000001 at step 12"}),
                other = printed({"norm 1.00000002 at step 12"});
  EXPECT_FALSE(compare(one, other, 0).empty());
  EXPECT_TRUE(compare(one, other, 1e-6).empty());
  EXPECT_FALSE(compare(one, printed({"norm 1.1 at step 12"}), 1e-6).empty());
  EXPECT_FALSE(compare(one, printed({"norm 1.00000001 at step 13"}), 1e-6).empty());
  EXPECT_TRUE(compare(printed({"x -1e-3"}), printed({"x -0.001"}), 1e-9).empty());
  EXPECT_FALSE(compare(printed({"x 1"}), printed({"x -1"}), 1e-9).empty());
  EXPECT_FALSE(compare(printed({"x nan"}), printed({"x 1"}), 0.5).empty());
}

TEST(Outcome, FilesAreComparedLineByLine) {
  Outcome one = printed({}), other = printed({});
  one.files = {{"out.txt", true, {"a", "b"}}};
  other.files = {{"out.txt", true, {"b", "a"}}};
  EXPECT_EQ(compare(one, other, 0).only_one, (Lines{"out.txt:1: a", "out.txt:2: b"}));
  other.files = {{"out.txt", false, {}}};
  EXPECT_EQ(compare(one, other, 0).only_other, Lines{"out.txt is not there"});
}

TEST(Outcome, LongDifferencesAreSyncPoint) {
  const Difference difference{{"1", "2", "3"}, {"4"}};
  EXPECT_EQ(as_lines(difference, 2), (Lines{"- 1", "- 2", "- … 1 more lines", "+ 4"}));
}

TEST(Outcome, WordsOfTheLauncherAreLeftOut) {
  EXPECT_EQ(without_launcher(
                {"a", "", "=====", "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
                 "=   PID 7 RUNNING AT here", "=====",
                 "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Aborted (signal 6)", "b"}),
            (Lines{"a", "b"}));
  EXPECT_EQ(without_launcher({"=====", "", "a"}), (Lines{"=====", "", "a"}));
}

TEST(Outcome, MessagesOfUcx) {
  EXPECT_TRUE(is_of_ucx(
      "[1795117702.547696] [node:29066:0]       tag_match.c:62   UCX  WARN  not matched"));
  EXPECT_FALSE(is_of_ucx("[12.5] [a] this program mentions UCX"));
  EXPECT_FALSE(is_of_ucx("[x] [node:1:0] tag_match.c:62 UCX  WARN"));
  EXPECT_FALSE(is_of_ucx("1 2 3"));
}

TEST(Outcome, HowItEndedComesFirst) {
  const Difference difference = compare(printed({"1"}), printed({"2"}, 3), 0);
  EXPECT_EQ(difference.only_other, (Lines{"exit code 3", "2"}));
}

TEST(Outcome, Lines) {
  EXPECT_EQ(lines_of("a\nb"), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of("a\n\n"), (Lines{"a", ""}));
  EXPECT_TRUE(lines_of("").empty());
}

}  // namespace
}  // namespace photofinish
