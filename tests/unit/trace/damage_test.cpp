// Files that are truncated, damaged, foreign or from another version: a clear error, and every
// event before the damage.
#include <algorithm>

#include "frontend/mpi/table/mpi_call.h"
#include "raw_trace.h"
#include "recording.h"
#include "trace/vocabulary.h"

namespace photofinish {
namespace {

using namespace testing;

constexpr const char* kTraceFile = "rank-000003.trace";
constexpr const char* kLiveFile = "rank-000003.live";

// Two tasks, a chunk of events after each of four flushes, and a regular end.
std::string small_trace() {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lanes[] = {writer->open_lane(task(0)), writer->open_lane(task(1))};
  for (int n = 0; n < 40; ++n) {
    record(*lanes[n / 10 % 2], event(n, static_cast<std::uint32_t>(n / 10 % 2)));
    if (n % 10 == 9) writer->flush();
  }
  writer->end(RankState::Exited, 0);
  return read_file(trace_path(dir.path(), kRank));
}

std::string small_live_file() {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  for (int n = 0; n < 20; ++n) record(*lane, event(n));
  lane->begin(event(20, 0, MpiCall::MPI_Barrier), 2'000);
  return read_file(live_path(dir.path(), kRank));
}

ReadBack read_file_as_trace(const TempDir& dir, const std::string& file) {
  std::filesystem::remove(dir / kTraceFile);  // faster than overwriting it
  dir.write(kTraceFile, file);
  return read_back(dir.path());
}

bool names_location(const std::string& message, const std::string& path) {
  return message.starts_with(path + ": at byte ") &&
         message.find(": ", path.size() + 10) != std::string::npos;
}

// The number after "at byte".
std::size_t offset_in(const std::string& message) {
  return std::stoull(message.substr(message.find("at byte ") + 8));
}

bool are_first_events(const std::vector<Event>& events) {
  for (std::size_t n = 0; n < events.size(); ++n)
    if (events[n].fields[Field::send_tag] != static_cast<std::int64_t>(n)) return false;
  return true;
}

TEST(Damage, TruncatedAtEveryByte) {
  const std::string whole = small_trace();
  const RawTrace raw = take_apart(whole);
  TempDir dir;
  ASSERT_EQ(read_file_as_trace(dir, whole).events.size(), 40u);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const ReadBack read = read_file_as_trace(dir, whole.substr(0, size));
    // The number of intact chunks gives the number of events.
    std::size_t end = sizeof(FileHeader), events = 0;
    bool on_boundary = size == end;
    for (const RawChunk& chunk : raw.chunks) {
      end += sizeof chunk.header + chunk.header.stored_size;
      on_boundary |= size == end;
      if (end <= size && chunk.header.kind == ChunkKind::Events) events += 10;
    }
    if (size < sizeof(FileHeader)) {
      ASSERT_TRUE(names_location(read.error, dir / kTraceFile)) << size << ": " << read.error;
      ASSERT_EQ(offset_in(read.error), size);
      continue;
    }
    ASSERT_EQ(read.error, "") << size;
    ASSERT_EQ(read.events.size(), events) << size << ": " << read.damage;
    ASSERT_TRUE(are_first_events(read.events)) << size;
    if (on_boundary && size > sizeof(FileHeader)) {
      ASSERT_EQ(read.damage, "") << "a rank that was killed leaves whole chunks";
      ASSERT_EQ(read.end.state, RankState::Running) << "and has not said how it ended";
    } else {
      ASSERT_TRUE(names_location(read.damage, dir / kTraceFile)) << size << ": " << read.damage;
      ASSERT_LE(offset_in(read.damage), size);
    }
  }
}

TEST(Damage, EveryFlippedByteIsNoticedAndReportsItsLocation) {
  const std::string whole = small_trace();
  TempDir dir;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string file = whole;
    file[at] = static_cast<char>(~file[at]);
    const ReadBack read = read_file_as_trace(dir, file);
    ASSERT_NE(read.error + read.damage, "") << "byte " << at;
    ASSERT_TRUE(names_location(read.error + read.damage, dir / kTraceFile))
        << at << ": " << read.error + read.damage;
    ASSERT_LE(read.events.size(), 40u);
  }
}

TEST(Damage, ADamagedTaskDoesNotHideTheOthers) {
  const RawTrace raw = take_apart(small_trace());
  std::string file = put_together(raw);
  // Damages the payload of the first chunk of task 0.
  std::size_t at = sizeof(FileHeader);
  for (const RawChunk& chunk : raw.chunks) {
    if (chunk.header.kind == ChunkKind::Events) break;
    at += sizeof chunk.header + chunk.header.stored_size;
  }
  file[at + sizeof(ChunkHeader) + 20] ^= 1;
  TempDir dir;
  const ReadBack read = read_file_as_trace(dir, file);
  EXPECT_EQ(offset_in(read.damage), at) << read.damage;
  EXPECT_NE(read.damage.find("checksum"), std::string::npos);
  EXPECT_EQ(read.events.size(), 20u);
  EXPECT_TRUE(std::all_of(read.events.begin(), read.events.end(),
                          [](const Event& e) { return e.task == TaskId(1); }));
}

TEST(Damage, ForeignFiles) {
  TempDir dir;
  for (const std::string& file : {std::string(), std::string("#!/bin/sh\n"),
                                  std::string(4096, '\0'), read_file("/proc/self/exe")}) {
    const ReadBack read = read_file_as_trace(dir, file);
    EXPECT_TRUE(names_location(read.error, dir / kTraceFile)) << read.error;
  }
  EXPECT_NE(read_back(dir.path()).error.find("not a photofinish trace"), std::string::npos);
  std::filesystem::remove(dir / kTraceFile);
  EXPECT_EQ(read_back(dir.path()).error, dir / kTraceFile + ": No such file or directory");
  std::filesystem::create_directory(dir / kTraceFile);
  EXPECT_NE(read_back(dir.path()).error, "") << "a directory";
}

TEST(Damage, TheTraceOfAnotherRank) {
  RawTrace raw = take_apart(small_trace());
  raw.header.rank = 5;
  TempDir dir;
  EXPECT_NE(read_file_as_trace(dir, put_together(raw)).error.find("trace of rank 5"),
            std::string::npos);
}

TEST(Damage, ANewerVersionSaysSo) {
  RawTrace raw = take_apart(small_trace());
  raw.header.version = kTraceVersion + 1;
  TempDir dir;
  const ReadBack read = read_file_as_trace(dir, put_together(raw));
  EXPECT_NE(read.error.find("at byte 8: trace version " + std::to_string(kTraceVersion + 1) +
                            " is newer"),
            std::string::npos)
      << read.error;
}

// --- a foreign vocabulary: unknown names of calls and fields, in another order

struct OtherVocabulary {
  std::vector<std::string> calls, fields;
};

RawTrace with_vocabulary(RawTrace raw, const OtherVocabulary& other) {
  raw.chunks[0].payload = encoded(other.calls, other.fields);
  return raw;
}

OtherVocabulary reversed_and_extended() {
  OtherVocabulary other{{"MPI_Teleport"}, {"quantum_state"}};
  for (std::size_t i = call_count(); i-- > 0;)
    other.calls.emplace_back(traits(static_cast<Call>(i)).name);
  for (std::size_t i = kFieldCount; i-- > 0;)
    other.fields.emplace_back(traits(static_cast<Field>(i)).name);
  return other;
}

std::uint64_t index_of(const std::vector<std::string>& names, std::string_view name) {
  return static_cast<std::uint64_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

// One event of a synthetic vocabulary, encoded by hand.
Bytes foreign_event(const OtherVocabulary& names, std::string_view call) {
  const std::uint64_t mask = (1u << index_of(names.fields, "quantum_state")) |
                             (std::uint64_t{1} << index_of(names.fields, "send_tag"));
  const std::vector<Buffer> no_buffers;
  const std::vector<RequestId> no_requests;
  const std::vector<std::int64_t> no_numbers;
  const std::vector<Completion> no_completions;
  // Times are doubled: the lowest bit says whether a repetition follows.
  return encoded(std::uint64_t{2 * 7}, SiteId(1), index_of(names.calls, call), mask,
                 std::int64_t{99}, std::int64_t{42}, no_buffers, no_requests, no_numbers,
                 std::uint64_t{2 * 0}, std::int32_t{0}, std::uint64_t{0}, no_completions,
                 no_numbers);
}

RawTrace one_event_trace(const OtherVocabulary& names, const std::vector<std::string_view>& calls) {
  RawTrace raw = with_vocabulary(take_apart(small_trace()), names);
  raw.chunks.resize(2);
  RawChunk& events = raw.chunks.emplace_back();
  events.header.magic = kChunkMagic;
  events.header.kind = ChunkKind::Events;
  for (const std::string_view call : calls) {
    const Bytes bytes = foreign_event(names, call);
    events.payload.insert(events.payload.end(), bytes.begin(), bytes.end());
  }
  return raw;
}

TEST(Vocabulary, CallsAndFieldsAreFoundByNameAndUnknownFieldsAreSkipped) {
  const OtherVocabulary names = reversed_and_extended();
  TempDir dir;
  const ReadBack read =
      read_file_as_trace(dir, put_together(one_event_trace(names, {"MPI_Put", "MPI_Send"})));
  EXPECT_EQ(read.error + read.damage, "");
  ASSERT_EQ(read.events.size(), 2u);
  EXPECT_EQ(read.events[0].call, MpiCall::MPI_Put);
  EXPECT_EQ(read.events[1].call, MpiCall::MPI_Send);
  Event expected;
  expected.fields.set(Field::send_tag, 42);
  EXPECT_EQ(read.events[0].fields.mask(), expected.fields.mask());
  EXPECT_EQ(read.events[0].fields[Field::send_tag], 42);
}

TEST(Vocabulary, JournalsOfOtherNumbersAreRecognized) {
  const auto has_current_numbers = [](const OtherVocabulary& names) {
    const Bytes bytes = encoded(names.calls, names.fields);
    Decoder in(bytes.data(), bytes.data() + bytes.size());
    Vocabulary vocabulary;
    EXPECT_TRUE(vocabulary.decode(in));
    return vocabulary.has_current_numbers();
  };
  OtherVocabulary names;
  for (std::size_t i = 0; i < call_count(); ++i)
    names.calls.emplace_back(traits(static_cast<Call>(i)).name);
  for (std::size_t i = 0; i < kFieldCount; ++i)
    names.fields.emplace_back(traits(static_cast<Field>(i)).name);
  EXPECT_TRUE(has_current_numbers(names));
  OtherVocabulary fewer = names;  // calls were added since
  fewer.calls.pop_back();
  EXPECT_TRUE(has_current_numbers(fewer));
  OtherVocabulary inserted = names;
  inserted.calls.erase(inserted.calls.begin() + 5);
  EXPECT_FALSE(has_current_numbers(inserted));
  std::swap(names.fields[0], names.fields[1]);
  EXPECT_FALSE(has_current_numbers(names));
}

TEST(Vocabulary, ACallThatWeDoNotKnowEndsTheTraceAndIsNamed) {
  const OtherVocabulary names = reversed_and_extended();
  TempDir dir;
  const ReadBack read = read_file_as_trace(
      dir, put_together(one_event_trace(names, {"MPI_Put", "MPI_Teleport", "MPI_Send"})));
  EXPECT_EQ(read.events.size(), 1u);
  EXPECT_NE(read.damage.find("does not know the call MPI_Teleport"), std::string::npos)
      << read.damage;
}

TEST(Vocabulary, MissingOrDoubledIsDamage) {
  TempDir dir;
  RawTrace raw = take_apart(small_trace());
  raw.chunks.insert(raw.chunks.begin(), raw.chunks[0]);
  EXPECT_NE(read_file_as_trace(dir, put_together(raw)).damage, "");
  raw.chunks.erase(raw.chunks.begin(), raw.chunks.begin() + 2);
  const ReadBack read = read_file_as_trace(dir, put_together(raw));
  EXPECT_NE(read.damage.find("names of calls is missing"), std::string::npos) << read.damage;
  EXPECT_TRUE(read.events.empty());
}

// --- valid checksums over contents that no writer produces

RawTrace with_events(const Bytes& payload) {
  RawTrace raw = take_apart(small_trace());
  raw.chunks.resize(2);
  RawChunk& chunk = raw.chunks.emplace_back();
  chunk.header.magic = kChunkMagic;
  chunk.header.kind = ChunkKind::Events;
  chunk.payload = payload;
  return raw;
}

std::string damage_of_events(const Bytes& payload) {
  TempDir dir;
  return read_file_as_trace(dir, put_together(with_events(payload))).damage;
}

std::string damage_of_definition(const auto&... values) {
  TempDir dir;
  RawTrace raw = take_apart(small_trace());
  raw.chunks[1].payload = encoded(values...);
  return read_file_as_trace(dir, put_together(raw)).damage;
}

TEST(Hostile, EventsThatBreakTheirPromises) {
  Event bad = event(1);
  bad.completions.push_back({.index = 1});
  bad.requests.push_back(RequestId(1));
  EXPECT_NE(damage_of_events(encoded_event(bad, 0)).find("request that was not given"),
            std::string::npos);
  bad.completions.clear();
  bad.buffers[0].access = static_cast<BufferUse>(kBufferUses);
  EXPECT_NE(damage_of_events(encoded_event(bad, 0)).find("access of an unknown kind"),
            std::string::npos);
  EXPECT_NE(damage_of_events(Bytes(11, 0xff)).find("more than 64 bits"), std::string::npos);
  EXPECT_NE(damage_of_events(encoded(UINT64_MAX)), "") << "no such call";
}

TEST(Hostile, DefinitionsThatBreakTheirPromises) {
  const auto type = [](Strided strided) {
    return damage_of_definition(DefinitionKind::Type,
                                TypeDefinition{TypeId(1), "t", "", {{strided}, 1, 0, 1}});
  };
  EXPECT_EQ(type({0, 1, {}}), "");
  EXPECT_NE(type({0, 0, {}}), "") << "no bytes";
  EXPECT_NE(type({INT64_MAX, 1, {}}), "") << "past the end of memory";
  EXPECT_NE(type({0, 1, {{INT64_MAX, INT64_MAX}}}), "");
  EXPECT_NE(type({0, 1, {{2, INT64_MIN}}}), "");
  EXPECT_NE(type({0, 1, {{1, 8}}}), "") << "repeated once";
  EXPECT_NE(damage_of_definition(DefinitionKind::Group,
                                 GroupDefinition{GroupId(1), {WorldRank(kWorldSize)}}),
            "");
  EXPECT_NE(damage_of_definition(static_cast<DefinitionKind>(99)), "");
  EXPECT_NE(damage_of_definition(std::uint64_t{256} + 8, OpDefinition{OpId(1), "narrowed"}), "")
      << "256 more than a kind";
}

TEST(Hostile, AListNeverBecomesMoreThanItsBytes) {
  // 4 billion frames, in 4 bytes.
  EXPECT_NE(damage_of_definition(DefinitionKind::Site, SiteId(1), std::uint64_t{UINT32_MAX}), "");
  TempDir dir;
  RawTrace raw = take_apart(small_trace());
  raw.chunks[2].header.raw_size = kMaxChunk + 1;
  EXPECT_NE(read_file_as_trace(dir, put_together(raw, false)).damage.find("impossible size"),
            std::string::npos);
  raw.chunks[2].header.raw_size = kMaxChunk;
  EXPECT_NE(read_file_as_trace(dir, put_together(raw, false)).damage.find("sizes disagree"),
            std::string::npos);
  raw = take_apart(small_trace());
  raw.chunks[0].payload = Bytes(1 << 24, 0);
  raw.chunks[0].payload[0] = raw.chunks[0].payload[1] = raw.chunks[0].payload[2] =
      0xff;  // two million empty names
  EXPECT_NE(read_file_as_trace(dir, put_together(raw)).damage.find("more names than there can be"),
            std::string::npos);
}

TEST(Hostile, AMissingChunkIsNoticed) {
  TempDir dir;
  RawTrace raw = take_apart(small_trace());
  const auto first = std::find_if(raw.chunks.begin(), raw.chunks.end(), [](const RawChunk& chunk) {
    return chunk.header.kind == ChunkKind::Events;
  });
  raw.chunks.erase(first);
  EXPECT_NE(read_file_as_trace(dir, put_together(raw)).damage.find("chunk is missing"),
            std::string::npos);
}

// --- the live file

TEST(LiveFile, TruncatedOrDamagedGivesAReason) {
  const std::string whole = small_trace(), live = small_live_file();
  TempDir dir;
  dir.write(kTraceFile, put_together([&] {
              RawTrace raw = take_apart(whole);
              raw.chunks.resize(1);
              return raw;
            }()));
  dir.write(kLiveFile, live);
  ASSERT_EQ(read_back(dir.path()).events.size(), 21u);
  const std::size_t lane = kLivePage + kLaneBytes;
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, kLivePage - 1, kLivePage,
                                 kLivePage + 1, lane, lane + 63, lane + 64, lane + 100}) {
    dir.write(kLiveFile, live.substr(0, size));
    const ReadBack read = read_back(dir.path());
    EXPECT_TRUE(names_location(read.damage, dir / kLiveFile)) << size << ": " << read.damage;
    EXPECT_TRUE(read.events.empty());
  }
  LaneHeader header;
  const auto with_header = [&] {
    std::string changed = live;
    std::memcpy(changed.data() + lane, &header, sizeof header);
    dir.write(kLiveFile, changed);
    return read_back(dir.path());
  };
  std::memcpy(&header, live.data() + lane, sizeof header);
  header.pending = UINT64_MAX;
  EXPECT_TRUE(names_location(with_header().damage, dir / kLiveFile)) << "a sum that wraps";
  header.pending = 1;
  EXPECT_NE(with_header().damage.find("cut off"), std::string::npos);
  std::memcpy(&header, live.data() + lane, sizeof header);
  header.pending += 1;
  EXPECT_NE(with_header().damage.find("bytes behind the record"), std::string::npos);
  header.pending = 0;
  header.in_call = UINT64_MAX;
  EXPECT_NE(with_header().damage, "");
}

}  // namespace
}  // namespace photofinish
