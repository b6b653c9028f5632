#include "report/identity.h"

#include <gtest/gtest.h>

#include "report/baseline.h"

namespace photofinish {
namespace {

FindingDocument race(const std::string& function, int line, std::uint64_t offset = 1) {
  FindingDocument finding{.number = 1, .kind = FindingKind::OneSidedRace};
  finding.ends.push_back({.role = "first",
                          .access = "put",
                          .rank = WorldRank(1),
                          .stack = {{.function = function,
                                     .file = "/a/solver.c",
                                     .line = line,
                                     .module = "/bin/app",
                                     .offset = offset}}});
  finding.ends.push_back({.role = "second",
                          .access = "load",
                          .rank = WorldRank(0),
                          .stack = {{.function = "residual",
                                     .file = "/a/norm.c",
                                     .line = 7,
                                     .module = "/bin/app",
                                     .offset = offset + 8}}});
  finding.identity = identity_of(finding);
  finding.fingerprint = fingerprint_of(finding.identity);
  return finding;
}

TEST(Identity, IsKindFunctionFileAndAccess) {
  EXPECT_EQ(race("exchange", 18).identity,
            "one-sided-race: load residual norm.c / put exchange solver.c");
  EXPECT_EQ(race("exchange", 18).fingerprint.size(), 16u);
}

TEST(Identity, DoesNotMindLinesAddressesFoldersRanksAndWhichSideIsFirst) {
  FindingDocument other = race("exchange", 99, 0x1000);
  std::swap(other.ends[0], other.ends[1]);
  for (EndDocument& end : other.ends) {
    end.rank = WorldRank(5);
    end.stack[0].file = "/elsewhere/" + end.stack[0].file.substr(3);
    end.stack[0].module = "/other/app2";
  }
  EXPECT_EQ(identity_of(other), race("exchange", 18).identity);
  EXPECT_NE(race("exchange2", 18).identity, race("exchange", 18).identity);
  other.ends[0].access = "store";
  EXPECT_NE(identity_of(other), race("exchange", 18).identity);
  other = race("exchange", 18);
  other.kind = FindingKind::BufferRace;
  EXPECT_NE(identity_of(other), race("exchange", 18).identity);
}

TEST(Identity, OfAMessageRaceIsItsReceive) {
  FindingDocument finding{.kind = FindingKind::MessageRace};
  finding.ends.push_back({.role = "receive",
                          .access = "receive",
                          .call = "MPI_Recv",
                          .stack = {{.function = "collect", .file = "/a/m.c", .line = 3}}});
  finding.ends.push_back({.role = "other",
                          .access = "send",
                          .call = "MPI_Send",
                          .stack = {{.function = "give", .file = "/a/m.c", .line = 9}}});
  EXPECT_EQ(identity_of(finding), "message-race: receive collect m.c");
  EXPECT_EQ(title_of(finding), "MPI_Recv m.c:3");
}

TEST(Identity, WithoutSymbolsIsTheWhereInTheProgram) {
  FindingDocument finding = race("", 0, 0x40);
  finding.ends[0].stack[0].file.clear();
  EXPECT_EQ(identity_of(finding), "one-sided-race: load residual norm.c / put app+0x40");
}

TEST(Baseline, KnowsAsManyAsItHas) {
  const FindingDocument one = race("exchange", 18), again = race("exchange", 30),
                        other = race("update", 50);
  std::vector<KnownFinding> baseline{{one.fingerprint, "a"}, {"0123456789abcdef", "b"}};
  std::vector<FindingDocument> findings{one, again, other};
  mark_known(baseline, findings);
  EXPECT_TRUE(findings[0].known);
  EXPECT_FALSE(findings[1].known);
  EXPECT_FALSE(findings[2].known);
  ASSERT_EQ(baseline.size(), 1u);
  EXPECT_EQ(baseline[0].title, "b");
}

}  // namespace
}  // namespace photofinish
