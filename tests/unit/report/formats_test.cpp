// The report formats, with a synthetic run; tests/report has real ones.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "frontend/mpi/table/mpi_call.h"
#include "made_up_run.h"
#include "report/document.h"
#include "report/html/html.h"
#include "report/json.h"
#include "report/perfetto.h"
#include "report/perfetto_packets.h"
#include "report/picture/neighborhood.h"
#include "report/sarif.h"
#include "trace/findings_file.h"

namespace photofinish {
namespace {

using nlohmann::json;
using testing::kFlush;
using testing::kHalo;
using testing::kLockAll;
using testing::kOther;
using testing::kWork;

class OfAMadeUpRun : public ::testing::Test {
 protected:
  OfAMadeUpRun() {
    // Every rank has ten events: three window constructors, then calls.
    const FindingSide put{.rank = WorldRank(2),
                          .kind = AccessKind::Put,
                          .call = MpiCall::MPI_Put,
                          .site = kWork,
                          .opened = kLockAll,
                          .closed = kFlush,
                          .begin = 12,
                          .end = 17,
                          .bytes = 8};
    const FindingSide load{.rank = WorldRank(0),
                           .kind = AccessKind::Load,
                           .call = Call::load,
                           .site = kOther,
                           .begin = 4,
                           .end = 5,
                           .bytes = 8};
    const Finding finding{.reason = Reason::NoOrder,
                          .sides = {put, load},
                          .owner = WorldRank(0),
                          .where = {64, 72},
                          .win = kHalo,
                          .offset = 64,
                          .times = 3,
                          .ranks = {WorldRank(0), WorldRank(2)}};
    EXPECT_TRUE(write_findings(analysis_path(run.path), {finding}));
    auto read = read_document(run.path, {.name = "a.run"});
    EXPECT_TRUE(read);
    document = std::move(*read);
  }
  testing::MadeUpRun run;
  RunDocument document;
};

TEST_F(OfAMadeUpRun, JsonHasWhatIsKnown) {
  const json report = json::parse(json_report(document));
  EXPECT_EQ(report["run"]["worldSize"], 4);
  const json& finding = report["findings"][0];
  EXPECT_EQ(finding["id"], "F1");
  EXPECT_EQ(finding["ranks"], json::array({0, 2}));
  EXPECT_EQ(finding["ends"][0]["stack"][0]["offset"], "0x140");
  EXPECT_FALSE(finding["ends"][0]["stack"][0].contains("file"));
  EXPECT_EQ(finding["memory"]["window"], "halo");
}

TEST_F(OfAMadeUpRun, NamesThatAreNoUtf8AreNoTrouble) {
  document.findings[0].memory->window = "caf\xe9";
  EXPECT_EQ(json::parse(json_report(document))["findings"][0]["memory"]["window"],
            "caf\xef\xbf\xbd");
  EXPECT_FALSE(json::parse(sarif_report(document)).empty());
}

TEST_F(OfAMadeUpRun, SarifEscapesPaths) {
  document.root = "/home/me/a b";
  document.findings[0].ends[0].stack[0].file = "/home/me/a b/src/x%y.c";
  document.findings[0].ends[0].stack[0].line = 3;
  document.findings[0].ends[1].stack[0].file = "/usr/include/z.h";
  const json log = json::parse(sarif_report(document));
  const json& result = log["runs"][0]["results"][0];
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"],
            json({{"uri", "src/x%25y.c"}, {"uriBaseId", "%SRCROOT%"}}));
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["artifactLocation"],
            json({{"uri", "file:///usr/include/z.h"}}));
  EXPECT_EQ(log["runs"][0]["originalUriBaseIds"]["%SRCROOT%"]["uri"], "file:///home/me/a%20b/");
}

TEST_F(OfAMadeUpRun, WhatIsNearAFindingIsKept) {
  Neighborhood neighborhood(document);
  const std::vector<NearFinding> near = neighborhood.read();
  ASSERT_EQ(near.size(), 1u);
  ASSERT_EQ(near[0].lanes.size(), 2u);
  const NearLane &owner = near[0].lanes[0], &origin = near[0].lanes[1];
  EXPECT_EQ(owner.rank, WorldRank(0));
  EXPECT_EQ(origin.rank, WorldRank(2));
  // Event 2 and up to four events before and after it; events 6 and 8 likewise.
  EXPECT_EQ(owner.steps.begin()->first, 0u);
  EXPECT_EQ(owner.steps.rbegin()->first, 6u);
  EXPECT_EQ(origin.steps.begin()->first, 2u);
  EXPECT_EQ(origin.steps.rbegin()->first, 9u);
  EXPECT_EQ(owner.events, 10u);
  ASSERT_EQ(neighborhood.counts().size(), 4u);
  for (const RankCounts& rank : neighborhood.counts()) EXPECT_EQ(rank.events, 10u);
}

TEST_F(OfAMadeUpRun, ThePageHasItsDataAndNothingOfItIsMarkup) {
  document.findings[0].memory_text = "</script><!-- <b>";
  const std::string page = html_report(document);
  const std::string begin = "id=\"report-data\">";
  const std::size_t from = page.find(begin) + begin.size(), to = page.find("</script>", from);
  const std::string data = page.substr(from, to - from);
  EXPECT_EQ(data.find('<'), data.npos);
  const json parsed = json::parse(data);
  EXPECT_EQ(parsed["findings"][0]["memory"]["text"], "</script><!-- <b>");
  EXPECT_EQ(parsed["findings"][0]["picture"]["lanes"].size(), 2u);
  EXPECT_EQ(parsed["counts"]["events"], 40);
  for (const char* left : {"@TITLE@", "@STYLE@", "@DATA@", "@SCRIPT@", "https://"})
    EXPECT_EQ(page.find(left), page.npos) << left;
}

// The length-delimited fields of a protobuf message, and the numeric ones.
struct ProtoFields {
  std::multimap<std::uint64_t, std::string> texts;
  std::multimap<std::uint64_t, std::uint64_t> numbers;
  explicit ProtoFields(const std::string& bytes) {
    std::size_t at = 0;
    const auto varint = [&] {
      std::uint64_t value = 0;
      for (int shift = 0; at < bytes.size(); shift += 7) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      return value;
    };
    while (at < bytes.size()) {
      const std::uint64_t key = varint();
      if ((key & 7) == 0) numbers.emplace(key >> 3, varint());
      if ((key & 7) == 1) at += 8;
      if ((key & 7) != 2) continue;
      const std::uint64_t length = varint();
      texts.emplace(key >> 3, bytes.substr(at, length));
      at += length;
    }
  }
};

TEST_F(OfAMadeUpRun, PerfettoHasEveryEvent) {
  const std::string path = run.dir / "run.pftrace";
  std::FILE* file = std::fopen(path.c_str(), "w");
  ASSERT_TRUE(write_perfetto(file, document));
  std::fclose(file);
  std::string packets;
  for (const auto& [field, packet] : ProtoFields(testing::read_file(path)).texts) {
    const ProtoFields whole(packet);
    const std::string& compressed = whole.texts.find(50)->second;
    std::string some(1 << 20, '\0');
    uLongf size = some.size();
    ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(some.data()), &size,
                         reinterpret_cast<const Bytef*>(compressed.data()), compressed.size()),
              Z_OK);
    packets += some.substr(0, size);
  }
  std::map<std::uint64_t, std::size_t> types;  // SLICE_BEGIN, SLICE_END, INSTANT
  for (const auto& [field, packet] : ProtoFields(packets).texts)
    if (const ProtoFields whole(packet); whole.texts.contains(11))
      ++types[ProtoFields(whole.texts.find(11)->second).numbers.find(9)->second];
  EXPECT_EQ(types, (std::map<std::uint64_t, std::size_t>{{1, 40}, {2, 40}, {3, 2}}));
}

TEST(Perfetto, TimesMayGoBackAndStringsAreWrittenOnce) {
  std::FILE* file = std::tmpfile();
  PerfettoFile out(file);
  PerfettoSequence sequence(out);
  std::string long_name(1000, 'x');
  for (const std::uint64_t at : {5000, 7000, 6000, 9000})
    sequence.add({.type = PerfettoEvent::Type::Instant, .at = at, .track = 1, .name = long_name});
  ASSERT_TRUE(out.end());
  std::string bytes(4096, '\0');
  std::rewind(file);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  const ProtoFields compressed(ProtoFields(bytes).texts.find(1)->second);
  std::string packets(1 << 16, '\0');
  uLongf size = packets.size();
  const std::string& data = compressed.texts.find(50)->second;
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(packets.data()), &size,
                       reinterpret_cast<const Bytef*>(data.data()), data.size()),
            Z_OK);
  EXPECT_LT(size, 1400u);
  std::vector<std::pair<std::uint64_t, bool>> times;  // and whether it uses the monotonic clock
  for (const auto& [field, packet] : ProtoFields(packets.substr(0, size)).texts)
    if (const ProtoFields whole(packet); whole.texts.contains(11))
      times.push_back({whole.numbers.find(8)->second, !whole.numbers.contains(58)});
  EXPECT_EQ(times, (std::vector<std::pair<std::uint64_t, bool>>{
                       {5000, true}, {2000, true}, {6000, false}, {2000, true}}));
}

TEST_F(OfAMadeUpRun, PerfettoSaysWhenItCannotBeWritten) {
  std::FILE* full = std::fopen("/dev/full", "w");
  ASSERT_NE(full, nullptr);
  EXPECT_FALSE(write_perfetto(full, document));
  std::fclose(full);
}

TEST(PathFrom, IsRelativeBelowTheRoot) {
  EXPECT_EQ(path_from("/a/b", "/a/b/c.c"), "c.c");
  EXPECT_EQ(path_from("/a/b/", "/a/b/c/d.c"), "c/d.c");
  EXPECT_EQ(path_from("/a/b", "/a/bc/d.c"), "/a/bc/d.c");
  EXPECT_EQ(path_from("", "/a"), "/a");
}

}  // namespace
}  // namespace photofinish
