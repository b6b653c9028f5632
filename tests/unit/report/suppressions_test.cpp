#include "report/suppressions.h"

#include <gtest/gtest.h>

#include "report/document.h"

namespace photofinish {
namespace {

Frame frame(const std::string& function, const std::string& file, int line) {
  return {.function = function, .file = file, .line = line, .module = "/bin/app"};
}

FindingDocument race(std::vector<Frame> first, std::vector<Frame> second) {
  FindingDocument finding{.number = 3, .kind = FindingKind::OneSidedRace};
  finding.ends.push_back({.role = "first", .access = "put", .stack = std::move(first)});
  finding.ends.push_back({.role = "second", .access = "load", .stack = std::move(second)});
  finding.memory = MemoryDocument{.win = Uid(1), .window = "halo"};
  return finding;
}
const FindingDocument kRace = race(
    {frame("exchange_rows", "/home/me/src/solver.c", 118), frame("main", "/home/me/src/main.c", 9)},
    {frame("residual", "/home/me/src/norm.c", 42)});

bool matched(const std::string& line, const FindingDocument& finding = kRace) {
  const auto parsed = parse_suppressions(line, "s");
  EXPECT_TRUE(parsed && parsed->size() == 1) << line;
  return parsed && matches(parsed->front(), finding);
}

TEST(Suppressions, MatchAnyFrameOfEitherSide) {
  for (const char* line :
       {"race:exchange_rows", "race:exchange*", "race:residual", "race:main", "race:solver.c",
        "race:*/src/norm.c", "race:norm.c:42", "race:app", "window:halo", "window:h*",
        "  race: residual  ", "race:residual  # known", "window:halo\t#"})
    EXPECT_TRUE(matched(line)) << line;
  for (const char* line :
       {"race:exchange", "race:norm.c:43", "race:olver.c", "message_race:residual", "window:hal",
        "window:residual", "race:residual#1"})
    EXPECT_FALSE(matched(line)) << line;
}

TEST(Suppressions, TwoPatternsAreForTheInnermostFramesOfTheTwoSides) {
  EXPECT_TRUE(matched("race:exchange_rows|residual"));
  EXPECT_TRUE(matched("race:residual | exchange_*"));
  EXPECT_FALSE(matched("race:main|residual"));
  EXPECT_FALSE(matched("race:residual|residual"));
}

TEST(Suppressions, OfMessagesAreForMessages) {
  FindingDocument finding{.kind = FindingKind::MessageRace};
  finding.ends.push_back(
      {.role = "receive", .access = "receive", .stack = {frame("collect", "/x/m.c", 3)}});
  EXPECT_TRUE(matched("message_race:collect", finding));
  EXPECT_FALSE(matched("race:collect", finding));
  EXPECT_FALSE(matched("window:*", finding));
}

TEST(Suppressions, AreCountedAndTheFirstTakesAFinding) {
  auto all = *parse_suppressions("# known\n\nrace:nobody\nwindow:halo\nrace:residual\n", "my.supp");
  std::vector<FindingDocument> findings{kRace, kRace};
  apply_suppressions(all, findings);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].used, 0u);
  EXPECT_EQ(all[1].used, 2u);
  EXPECT_EQ(all[2].used, 0u);
  EXPECT_EQ(all[1].line, 4);
  EXPECT_EQ(findings[1].suppressed_by, 1u);
  EXPECT_FALSE(findings[1].counts());
}

TEST(Suppressions, BadLinesSayWhereAndWhy) {
  const auto error = [](const std::string& text) {
    const auto parsed = parse_suppressions(text, "my.supp");
    return parsed ? "" : parsed.error().message;
  };
  EXPECT_EQ(error("race:a\nrases:b\n"),
            "my.supp:2: 'rases:b' is not a suppression: write race:, message_race: or window: and "
            "a pattern, such as race:exchange_rows");
  EXPECT_EQ(error("foo"),
            "my.supp:1: 'foo' is not a suppression: write race:, message_race: or window: and a "
            "pattern, such as race:exchange_rows");
  EXPECT_EQ(
      error("race: "),
      "my.supp:1: 'race:' has an empty pattern: it would match nothing; write * for everything");
  EXPECT_EQ(
      error("race:a|"),
      "my.supp:1: 'race:a|' has an empty pattern: it would match nothing; write * for everything");
  EXPECT_EQ(error("message_race:a|b"),
            "my.supp:1: 'message_race:a|b' has too many patterns: race: takes up to two, one for "
            "each access; the others take one");
}

std::string suppression_for(const FindingDocument& finding) {
  return suppressions_for({&finding}, {});
}

TEST(Suppressions, OfOneFunctionPairAreReportedApartByLines) {
  std::vector<FindingDocument> all{
      race({frame("push", "/x/queue.c", 10)}, {frame("pop", "/x/queue.c", 30)}),
      race({frame("push", "/x/queue.c", 14)}, {frame("pop", "/x/queue.c", 30)}),
      race({frame("push", "/x/queue.c", 14)}, {frame("pop", "/x/queue.c", 30)}),  // another access
      race({frame("push", "/x/queue.c", 10)}, {frame("peek", "/x/queue.c", 40)})};
  for (std::size_t i = 0; i < all.size(); ++i) all[i].number = i + 1;
  EXPECT_EQ(suppressions_for({&all[0], &all[1], &all[2], &all[3]}, all),
            "# F1: put queue.c:10 and load queue.c:30\nrace:queue.c:10|queue.c:30\n"
            "# F2, F3: put queue.c:14 and load queue.c:30\nrace:queue.c:14|queue.c:30\n"
            "# F4: put queue.c:10 and load queue.c:40\nrace:push|peek\n");
  EXPECT_TRUE(matched("race:queue.c:10|queue.c:30", all[0]));
  EXPECT_FALSE(matched("race:queue.c:10|queue.c:30", all[1]));
}

TEST(Suppressions, NameTheUsersFrame) {
  const Frame boost{.function = "boost::mpi::recv", .module = "/usr/lib/libboost_mpi.so.1.74"};
  const FindingDocument one =
      race({boost, frame("collect", "/x/a.cpp", 5)},
           {frame("std::copy", "/usr/include/c++/12/algorithm", 9), frame("fill", "/x/a.cpp", 7)});
  EXPECT_EQ(suppression_for(one), "# F3: put a.cpp:5 and load a.cpp:7\nrace:collect|fill\n");
  EXPECT_TRUE(matched("race:collect|fill", one));
  EXPECT_TRUE(matched("race:boost*", one));
}

TEST(Suppressions, ThatTheToolMakesMatch) {
  EXPECT_EQ(suppression_for(kRace),
            "# F3: put solver.c:118 and load norm.c:42\nrace:exchange_rows|residual\n");
  const FindingDocument odd =
      race({frame("operator|", "/x/a.cpp", 1)}, {frame("at<int[3]>*", "/x/b.cpp", 2)});
  const std::string line = suppression_for(odd).substr(suppression_for(odd).find('\n') + 1);
  EXPECT_TRUE(matched(line, odd)) << line;
  EXPECT_FALSE(matched(
      line, race({frame("operator|", "/x/a.cpp", 1)}, {frame("at<int[3]>x", "/x/b.cpp", 2)})))
      << line;
  EXPECT_EQ(suppression_for(race({}, {})), "# F3: put and load\nwindow:halo\n");
}

TEST(Suppressions, BuiltInOnesAreOfMessagesOnly) {
  for (const Suppression& one : builtin_suppressions())
    EXPECT_EQ(one.kind, Suppression::Kind::MessageRace) << one.text;
}

}  // namespace
}  // namespace photofinish
