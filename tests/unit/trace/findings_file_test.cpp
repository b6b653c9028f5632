#include "trace/findings_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <fstream>

#include "../launch/temp_dir.h"
#include "../model/random_finding.h"
#include "frontend/mpi/table/mpi_call.h"
#include "raw_trace.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

using testing::RandomFindings;
using testing::read_file;
using testing::TempDir;

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A given payload under a valid header.
std::string with_header(const testing::Bytes& payload) {
  FindingsHeader header{.version = kFindingsVersion, .size = payload.size()};
  std::memcpy(header.magic, kFindingsMagic, sizeof header.magic);
  header.checksum = XXH3_64bits_withSeed(payload.data(), payload.size(),
                                         XXH3_64bits(&header, offsetof(FindingsHeader, checksum)));
  std::string file;
  testing::append(file, &header, sizeof header);
  testing::append(file, payload.data(), payload.size());
  return file;
}

TEST(FindingsFile, GivesBackWhatWasWritten) {
  TempDir dir;
  for (unsigned seed = 0; seed < 100; ++seed) {
    RandomFindings random(seed);
    const auto findings = random.findings(random.below(20));
    ASSERT_TRUE(write_findings(dir / "x.findings", findings));
    const auto read = read_findings_file(dir / "x.findings");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, findings) << seed;
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "x.findings.new"));
}

TEST(FindingsFile, ExtremeValuesSurvive) {
  TempDir dir;
  Finding extreme;
  extreme.sides[0] = {.rank = WorldRank(-3),
                      .site = SiteId(~0u),
                      .site_key = ~std::uint64_t{0},
                      .begin = kNever,
                      .end = kNever,
                      .bytes = ~std::uint64_t{0}};
  extreme.where = {std::numeric_limits<std::int64_t>::min(),
                   std::numeric_limits<std::int64_t>::max()};
  extreme.offset = std::numeric_limits<std::int64_t>::min();
  extreme.times = ~std::uint64_t{0};
  ASSERT_TRUE(write_findings(dir / "x", {extreme}));
  EXPECT_EQ(*read_findings_file(dir / "x"), std::vector{extreme});
}

TEST(FindingsFile, EveryCallHasAName) {
  TempDir dir;
  std::vector<Finding> findings(call_count());
  for (std::size_t i = 0; i < call_count(); ++i) findings[i].sides[0].call = static_cast<Call>(i);
  ASSERT_TRUE(write_findings(dir / "x", findings));
  EXPECT_EQ(*read_findings_file(dir / "x"), findings);
}

TEST(FindingsFile, DamageOfAnyByteIsRefused) {
  TempDir dir;
  RandomFindings random(1);
  ASSERT_TRUE(write_findings(dir / "x", random.findings(2)));
  const std::string whole = read_file(dir / "x");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    write_bytes(dir / "x", damaged);
    const auto read = read_findings_file(dir / "x");
    ASSERT_FALSE(read) << "byte " << at;
    EXPECT_TRUE(read.error().message.starts_with(dir / "x: ")) << read.error().message;
    EXPECT_EQ(read.error().message.find('\n'), std::string::npos);
  }
}

TEST(FindingsFile, AnyOtherLengthIsRefused) {
  TempDir dir;
  RandomFindings random(2);
  ASSERT_TRUE(write_findings(dir / "x", random.findings(1)));
  const std::string whole = read_file(dir / "x");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    write_bytes(dir / "x", whole.substr(0, size));
    EXPECT_FALSE(read_findings_file(dir / "x")) << size;
  }
  write_bytes(dir / "x", whole + '\0');
  EXPECT_FALSE(read_findings_file(dir / "x"));
}

// Contents under a valid checksum are still validated: no crash, and no value that the model does
// not have.
TEST(FindingsFile, WrongValuesUnderARightChecksumAreRefused) {
  TempDir dir;
  Finding finding;
  finding.ranks = {WorldRank(0), WorldRank(1)};
  ASSERT_TRUE(write_findings(dir / "x", {finding}));
  const std::string whole = read_file(dir / "x");
  const testing::Bytes payload(whole.begin() + sizeof(FindingsHeader), whole.end());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < payload.size(); ++at)
    for (const int byte : {0, 1, 4, 5, 16, 127, 128, 255}) {
      testing::Bytes changed = payload;
      changed[at] = static_cast<std::uint8_t>(byte);
      write_bytes(dir / "x", with_header(changed));
      const auto read = read_findings_file(dir / "x");
      if (!read) {
        ++refused;
        continue;
      }
      for (const Finding& f : *read) {
        ASSERT_LE(f.reason, Reason::MixedOperations);
        for (const FindingSide& side : f.sides) {
          ASSERT_LE(side.kind, AccessKind::Accumulate);
          ASSERT_LE(side.op, ReduceOp::CompareAndSwap);
          ASSERT_LE(side.epoch.kind, EpochKind::Lock);
          ASSERT_LT(static_cast<std::size_t>(side.call), call_count());
        }
      }
    }
  EXPECT_GT(refused, 100u);
}

TEST(FindingsFile, SaysWhatIsWrong) {
  TempDir dir;
  const auto says = [&](const std::string& bytes) {
    write_bytes(dir / "x", bytes);
    const auto read = read_findings_file(dir / "x");
    return read ? "fine" : read.error().message.substr((dir / "x: ").size());
  };
  EXPECT_EQ(says(""), "too short for a file of findings");
  EXPECT_EQ(says(std::string(100, 'x')), "not a file of findings");
  std::string newer = with_header({0});
  newer[8] = 9;
  EXPECT_EQ(says(newer),
            "findings version 9 is newer than this photofinish (7); read it with the photofinish "
            "that wrote it");
  std::string older = with_header({0});
  older[8] = 2;
  EXPECT_EQ(says(older),
            "findings version 2 is older than this photofinish (7); check the program again, or "
            "read it with the photofinish that wrote it");
  EXPECT_EQ(says(with_header({0}) + "x"), "2 bytes of findings, and the header says 1");
  std::string damaged = with_header({0});
  damaged.back() = 1;
  EXPECT_EQ(says(damaged), "damaged, its checksum does not match");
  EXPECT_EQ(says(with_header({0, 0})), "bytes behind the findings");
  EXPECT_EQ(says(with_header({200, 1})), "a length is larger than what is left");
  EXPECT_EQ(says(with_header({0})), "fine");
  EXPECT_EQ(read_findings_file(dir / "none").error().message,
            "cannot read " + (dir / "none: No such file or directory"));
}

TEST(FindingsFile, ACallThatIsNotKnownIsRefused) {
  TempDir dir;
  Finding finding;
  finding.sides[0].call = MpiCall::MPI_Put;
  ASSERT_TRUE(write_findings(dir / "x", {finding}));
  std::string whole = read_file(dir / "x");
  whole.replace(whole.find("MPI_Put"), 7, "MPI_Pat");
  write_bytes(dir / "x", with_header({whole.begin() + sizeof(FindingsHeader), whole.end()}));
  EXPECT_EQ(read_findings_file(dir / "x").error().message,
            dir / "x: a call that this photofinish does not know");
}

TEST(FindingsFile, WhatCannotBeWrittenLeavesTheOldFile) {
  TempDir dir;
  RandomFindings random(3);
  const auto old = random.findings(2);
  ASSERT_TRUE(write_findings(dir / "x", old));
  // A resource limit must cause an error, not end the program.
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{64, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto refused = write_findings(dir / "x", random.findings(50));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "cannot write " + (dir / "x: File too large"));
  EXPECT_EQ(*read_findings_file(dir / "x"), old);
  EXPECT_FALSE(std::filesystem::exists(dir / "x.new"));
  EXPECT_FALSE(write_findings(dir / "no/such/place", old));
}

class RunFindingsTest : public ::testing::Test {
 protected:
  RunFindingsTest() { EXPECT_TRUE(create_run_directory(run, {"token", {}}, false)); }
  void write(WorldRank rank, const std::vector<Finding>& findings) {
    const auto written = write_findings(findings_path(run, rank), findings);
    ASSERT_TRUE(written) << written.error().message;
  }
  TempDir dir;
  const std::string run = dir / "run";
};

TEST_F(RunFindingsTest, NeverAnalysedIsNotTheSameAsNoFindings) {
  EXPECT_FALSE(read_findings(run)->analysed);
  // A file that a killed rank was writing does not count.
  dir.write("run/rank-000000.findings.new", "half");
  EXPECT_FALSE(read_findings(run)->analysed);
  write(WorldRank(0), {});
  const auto read = read_findings(run);
  EXPECT_TRUE(read->analysed);
  EXPECT_TRUE(read->findings.empty());
}

TEST_F(RunFindingsTest, AllRanksAreMerged) {
  RandomFindings random(4);
  std::vector<Finding> all;
  for (const int rank : {0, 3, 1'000'000}) {
    const auto findings = random.findings(20);
    all.insert(all.end(), findings.begin(), findings.end());
    write(WorldRank(rank), findings);
  }
  EXPECT_EQ(read_findings(run)->findings, merge_findings(all));
  // An analysis of the recorded run finds the same again.
  ASSERT_TRUE(write_findings(analysis_path(run), all));
  EXPECT_EQ(read_findings(run)->findings, merge_findings(all));
}

// As on a full disk.
TEST_F(RunFindingsTest, WhatCouldNotBeWrittenCounts) {
  RandomFindings random(5);
  const auto by_ranks = random.findings(3), by_traces = random.findings(4);
  write(WorldRank(0), by_ranks);
  MessageFindings messages;
  messages.messages = 7;
  const auto read = read_findings(run, {.findings = by_traces, .messages = messages});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->from_traces);
  EXPECT_EQ(read->findings, unite_findings(merge_findings(by_ranks), merge_findings(by_traces)));
  EXPECT_EQ(read->messages->messages, 7u);
}

TEST_F(RunFindingsTest, ReportsWhichRanksAreMissing) {
  for (const char* trace : {"rank-000000.trace", "rank-000001.trace", "rank-000002.trace"})
    dir.write(std::string("run/") + trace, "");
  write(WorldRank(1), {});
  EXPECT_EQ(read_findings(run)->missing, (std::vector{WorldRank(0), WorldRank(2)}));
  ASSERT_TRUE(write_findings(analysis_path(run), {}));
  EXPECT_TRUE(read_findings(run)->missing.empty());
}

TEST_F(RunFindingsTest, OneDamagedFileIsAnError) {
  write(WorldRank(0), {});
  dir.write("run/rank-000001.findings", "not a file of findings, nor anything else");
  const auto read = read_findings(run);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, run + "/rank-000001.findings: not a file of findings");
}

TEST_F(RunFindingsTest, WhatIsNoRunIsAnError) {
  EXPECT_FALSE(read_findings(dir / "nowhere"));
  EXPECT_FALSE(read_findings(dir.path()));
}

TEST_F(RunFindingsTest, GoWithTheRun) {
  write(WorldRank(0), {});
  ASSERT_TRUE(write_findings(analysis_path(run), {}));
  dir.write("run/rank-000001.findings.new", "half");
  dir.write("run/analysis.findings.new", "half");
  EXPECT_FALSE(create_run_directory(run, {"other", {}}, false));
  ASSERT_TRUE(create_run_directory(run, {"other", {}}, true));
  EXPECT_FALSE(read_findings(run)->analysed);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(run), {}), 1);

  write(WorldRank(0), {});
  dir.write("run/analysis.findings.new", "half");
  remove_run_directory(run);
  EXPECT_FALSE(std::filesystem::exists(run));
}

TEST_F(RunFindingsTest, FilesWithOtherNamesAreNotOurs) {
  for (const char* name : {"my.findings", "rank-1.findings", "run.json.new",
                           "rank-000000.trace.new", "analysis.findings.new.new"}) {
    dir.write(std::string("run/") + name, "precious");
    EXPECT_FALSE(create_run_directory(run, {"other", {}}, true)) << name;
    EXPECT_EQ(read_file(run + "/" + name), "precious");
    std::filesystem::remove(run + "/" + name);
  }
}

}  // namespace
}  // namespace photofinish
