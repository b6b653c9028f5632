// Fuzzes the reader, under the address and undefined-behavior sanitizers. Half of the cases are
// mutated under valid checksums: otherwise nothing behind the checksum would be tested.
//
//   fuzz_trace_reader [CASES] [SECONDS]    limits of the run; the defaults are for the test suite
//   fuzz_trace_reader --only CASE          repeats one case: a case depends on its number only
//
// Rule: for any files, the reader returns events and at most one error, and everything that it
// returns can be printed.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include "base/temp_directory.h"
#include "frontend/mpi/table/mpi_call.h"
#include "random_model.h"
#include "raw_trace.h"
#include "report/event_text.h"
#include "trace/reader.h"
#include "trace/writer.h"

extern "C" [[gnu::visibility("default")]] const char* __asan_default_options();
// A size from a file must not become a huge allocation; the other options are for speed (the asan
// preset detects leaks).
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=1024:allocator_may_return_null=0:quarantine_size_mb=8:malloc_"
         "context_size=6:detect_leaks=0";
}
extern "C" void __sanitizer_set_death_callback(void (*)());

namespace photofinish::testing {
namespace {

constexpr WorldRank kRank{0};
constexpr int kWorldSize = 4;
constexpr unsigned kSecondsForOneCase = 20;

std::string g_directory;
std::uint64_t g_case = 0;

void report_case() {
  char line[128];
  const int size = std::snprintf(
      line, sizeof line, "\nfailed in case %llu; again with: fuzz_trace_reader --only %llu\n",
      static_cast<unsigned long long>(g_case), static_cast<unsigned long long>(g_case));
  (void)!write(STDERR_FILENO, line, static_cast<std::size_t>(size));
}

// --- valid files to start from

// A live file is sparse: the used pieces and its size.
struct Live {
  std::string header;  // empty: there is no live file
  std::vector<std::string> lanes;
};

struct Sample {
  std::string trace;
  RawTrace raw;
  Live live;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Live take_live_apart(const std::string& file) {
  Live live;
  if (file.empty()) return live;
  live.header = file.substr(0, sizeof(LiveHeader));
  for (std::size_t at = kLivePage; at < file.size(); at += kLaneBytes) {
    LaneHeader header;
    std::memcpy(&header, file.data() + at, sizeof header);
    live.lanes.push_back(file.substr(at, sizeof header + header.committed + header.pending));
  }
  return live;
}

void define_some(TraceWriter& writer, RandomModel& random, std::uint32_t id) {
  const auto ranks = [&] { return random.list([&] { return random.world_rank(kWorldSize); }); };
  writer.define(DefinitionKind::Module,
                ModuleDefinition{ModuleId(id), "/nowhere/app", "abcd", id * 4096});
  writer.define(DefinitionKind::Site,
                SiteDefinition{SiteId(id), random.list([&] {
                                 return SiteFrame{
                                     ModuleId(static_cast<std::uint32_t>(random.below(4))),
                                     random.number()};
                               })});
  writer.define(DefinitionKind::Group, GroupDefinition{GroupId(id), ranks()});
  writer.define(DefinitionKind::Comm,
                CommDefinition{CommId(id), random.id<Uid>(), random.text(), GroupId(id), GroupId(1),
                               CommId(1), random.chance(2), ranks(), ranks()});
  writer.define(DefinitionKind::Type,
                TypeDefinition{TypeId(id), "t", "MPI_INT", random.data_map()});
  writer.define(DefinitionKind::Op, OpDefinition{OpId(id), "MPI_SUM"});
  writer.define(DefinitionKind::Text, TextDefinition{TextId(id), random.text()});
  writer.define(DefinitionKind::Sampling,
                SamplingDefinition{SamplingId(1), 1.1, random.number(), random.number(), id, id,
                                   random.number(), id, 0, id, random.number()});
  writer.define(DefinitionKind::Incomplete,
                IncompleteDefinition{IncompleteId(id), IncompleteReason::Disk, random.text()});
  writer.define(DefinitionKind::Block,
                BlockDefinition{BlockId(id), random.number(), random.number(), SiteId(id),
                                random.number(), random.number()});
  writer.define(DefinitionKind::Win,
                WinDefinition{WinId(id), Uid(id), "w", CommId(id), WinFlavour::Dynamic, true, 4096,
                              random.number(), random.signed_number(), "", ""});
}

// `ended`: a complete file; otherwise half of it is in the live file, and each task is inside a
// call.
Sample make_sample(std::uint64_t seed, bool ended) {
  std::filesystem::remove_all(g_directory);
  std::filesystem::create_directory(g_directory);
  RandomModel random(seed);
  RankDefinition rank{.rank = kRank,
                      .world_size = kWorldSize,
                      .host = "h",
                      .pid = 1,
                      .library = "m",
                      .program = "p"};
  auto writer = TraceWriter::create(g_directory, rank, 1.0, [](const std::string&) {});
  CHECK(writer);
  std::vector<Lane*> lanes;
  for (std::uint32_t id = 0; id < 1 + seed % 3; ++id)
    lanes.push_back((*writer)->open_lane({.id = TaskId(id), .os_thread = id}));
  std::uint64_t now = 0;
  for (std::uint32_t round = 1; round <= 3; ++round) {
    define_some(**writer, random, round);
    for (int n = 0; n < 4; ++n) {
      Event event = random.event();
      for (Buffer& buffer : event.buffers)
        buffer.type = TypeId(static_cast<std::uint32_t>(random.below(6)));
      event.site = SiteId(static_cast<std::uint32_t>(random.below(6)));
      event.fields.set(Field::win, static_cast<std::int64_t>(random.below(6)));
      Lane* lane = lanes[random.below(lanes.size())];
      for (std::uint64_t times = 1 + random.below(3); times > 0; --times, now += 5)
        lane->append(event, now, now + 3);
    }
    if (ended || round < 2) (*writer)->flush();
  }
  for (std::size_t i = 0; !ended && i < lanes.size(); ++i) {
    if (i % 2 == 0)
      lanes[i]->begin(random.event(), now);
    else
      lanes[i]->entered(MpiCall::MPI_Send, 4100);
  }
  (*writer)->end(RankState::Exited, 0);
  Sample sample;
  sample.trace = read_file(trace_path(g_directory, kRank));
  sample.raw = take_apart(sample.trace);
  sample.live = take_live_apart(read_file(live_path(g_directory, kRank)));
  return sample;
}

// --- mutations

// Works on std::string and Bytes.
template <class Container>
void mutate_bytes(RandomModel& random, Container& bytes, const Container& other) {
  using Byte = typename Container::value_type;
  if (bytes.empty()) return;
  const auto where = [&] { return random.below(bytes.size()); };
  const auto at = [&](std::size_t index) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(index);
  };
  const std::size_t start = where(),
                    length = std::min<std::size_t>(1 + random.below(16), bytes.size() - start);
  static constexpr std::uint8_t kInteresting[] = {0x00, 0x01, 0x02, 0x7f, 0x80, 0xfe, 0xff};
  switch (random.below(8)) {
    case 0:
      bytes[start] = static_cast<Byte>(bytes[start] ^ (1 << random.below(8)));
      break;
    case 1:
      bytes[start] = static_cast<Byte>(kInteresting[random.below(std::size(kInteresting))]);
      break;
    case 2:
      std::fill_n(at(start), length, static_cast<Byte>(0xff));
      break;
    case 3:
      bytes.erase(at(start), at(start + length));
      break;
    case 4:
      bytes.resize(start);
      break;
    case 5:
      bytes.insert(at(start), length,
                   static_cast<Byte>(kInteresting[random.below(std::size(kInteresting))]));
      break;
    case 6: {  // the rest, or a piece, of another file
      if (other.empty()) break;
      const auto from = other.begin() + static_cast<std::ptrdiff_t>(random.below(other.size()));
      const auto size =
          random.chance(2) ? other.end() - from : std::min<std::ptrdiff_t>(other.end() - from, 40);
      bytes.insert(at(start), from, from + size);
      break;
    }
    default: {  // a number in the encoding of the codec
      std::uint8_t number[kMaxVarint];
      Encoder out(number);
      out.number(random.number());
      const auto size = std::min<std::size_t>(static_cast<std::size_t>(out.next() - number),
                                              bytes.size() - start);
      std::copy_n(number, size, at(start));
    }
  }
}

template <class Container>
void mutate_some(RandomModel& random, Container& bytes, const Container& other) {
  for (std::uint64_t left = 1 + random.below(random.chance(4) ? 12 : 3); left > 0; --left)
    mutate_bytes(random, bytes, other);
}

// A field of a struct on disk.
template <class Struct>
void mutate_struct(RandomModel& random, Struct& value, std::size_t from) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  const std::size_t at = from + 4 * random.below((sizeof value - from) / 4);
  const auto number =
      static_cast<std::uint32_t>(random.chance(2) ? random.number() : random.below(300'000));
  std::memcpy(bytes.data() + at, &number, sizeof number);
  if (random.chance(3)) mutate_bytes(random, bytes, bytes);
  bytes.resize(sizeof value);
  std::memcpy(&value, bytes.data(), sizeof value);
}

std::string mutate_under_checksum(RandomModel& random, RawTrace raw, const RawTrace& other) {
  bool honest = true;
  for (std::uint64_t left = 1 + random.below(2); left > 0; --left) {
    if (raw.chunks.empty()) break;
    RawChunk& chunk = raw.chunks[random.below(raw.chunks.size())];
    const RawChunk& donor = other.chunks[random.below(other.chunks.size())];
    switch (random.below(16)) {
      case 0:
        mutate_struct(random, raw.header, 8);
        raw.header.rank = kRank.value;
        break;
      case 1:
        mutate_struct(random, chunk.header, 4);
        honest = false;
        break;
      case 2:
        mutate_struct(random, chunk.header, 4);
        break;
      case 3:
        std::swap(chunk.payload, raw.chunks[random.below(raw.chunks.size())].payload);
        break;
      case 4:
        raw.chunks.insert(
            raw.chunks.begin() + static_cast<std::ptrdiff_t>(random.below(raw.chunks.size())),
            donor);
        break;
      case 5:
        raw.chunks.erase(raw.chunks.begin() +
                         static_cast<std::ptrdiff_t>(random.below(raw.chunks.size())));
        break;
      default:
        mutate_some(random, chunk.payload, donor.payload);
    }
  }
  return put_together(std::move(raw), honest);
}

void mutate_live(RandomModel& random, Live& live, const Live& other) {
  std::string& lane = live.lanes[random.below(live.lanes.size())];
  switch (random.below(6)) {
    case 0: {
      LiveHeader header;
      std::memcpy(&header, live.header.data(), sizeof header);
      mutate_struct(random, header, 8);
      std::memcpy(live.header.data(), &header, sizeof header);
      break;
    }
    case 1:
      mutate_bytes(random, live.header, live.header);
      break;
    case 2:
    case 3: {
      LaneHeader header;
      std::memcpy(&header, lane.data(), sizeof header);
      mutate_struct(random, header, 0);
      std::memcpy(lane.data(), &header, sizeof header);
      break;
    }
    case 4:
      live.lanes.resize(random.below(live.lanes.size() + 1));
      break;
    default: {
      std::string data = lane.substr(sizeof(LaneHeader));
      mutate_some(random, data, other.lanes.empty() ? data : other.lanes[0]);
      lane = lane.substr(0, sizeof(LaneHeader)) + data;
    }
  }
}

void write_at(int file, const std::string& bytes, std::size_t offset) {
  CHECK(pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
        static_cast<ssize_t>(bytes.size()));
}

void write_files(RandomModel& random, const std::string& trace, const Live& live) {
  const auto create = [](const std::string& path) {
    unlink(path.c_str());
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    CHECK(file >= 0);
    return file;
  };
  int file = create(trace_path(g_directory, kRank));
  write_at(file, trace, 0);
  close(file);
  unlink(live_path(g_directory, kRank).c_str());
  if (live.header.empty()) return;
  file = create(live_path(g_directory, kRank));
  std::size_t size = kLivePage + live.lanes.size() * kLaneBytes;
  write_at(file, live.header, 0);
  for (std::size_t i = 0; i < live.lanes.size(); ++i)
    write_at(file, live.lanes[i], kLivePage + i * kLaneBytes);
  if (random.chance(10)) size = random.below(size);
  CHECK(ftruncate(file, static_cast<off_t>(size)) == 0);
  close(file);
}

// --- reading the files

struct Outcomes {
  std::uint64_t refused = 0, damaged = 0, whole = 0, delivering = 0, events = 0, characters = 0;
};

std::uint64_t print_all(RankTrace& trace, Symbolizer& symbolizer) {
  EventText text(trace, symbolizer, [&](WorldRank, Uid uid) -> const WinDefinition* {
    for (const auto& [id, win] : trace.definitions().wins)
      if (win.uid == uid) return &win;
    return nullptr;
  });
  std::uint64_t characters = end_text(trace.end()).size();
  for (const std::string& line : text.definitions()) characters += line.size();
  for (const auto& [id, type] : trace.definitions().types)
    characters += static_cast<std::uint64_t>(type.map.bounds().begin & 1);
  const Event* event = nullptr;
  while (trace.next(event)) {
    characters += text.line(*event).size() + text.where(*event).size();
    for (const std::string& line : text.stack(*event)) characters += line.size();
  }
  return characters;
}

void read_all(Outcomes& outcomes) {
  auto trace = RankTrace::open(g_directory, kRank);
  if (!trace) {
    CHECK(trace.error().message.starts_with(g_directory));
    ++outcomes.refused;
    return;
  }
  std::uint64_t events = 0;
  const Event* event = nullptr;
  while ((*trace)->next(event)) ++events;
  CHECK(!(*trace)->next(event));
  const std::string damage = (*trace)->damage();
  CHECK(damage.empty() ||
        (damage.starts_with(g_directory) && damage.find(": at byte ") != std::string::npos));
  (damage.empty() ? outcomes.whole : outcomes.damaged) += 1;
  outcomes.delivering += events > 0;
  outcomes.events += events;

  (*trace)->rewind();
  std::uint64_t again = 0;
  while ((*trace)->next(event)) ++again;
  CHECK(again == events && (*trace)->damage() == damage);
  (*trace)->rewind();
  static Symbolizer symbolizer;
  outcomes.characters += print_all(**trace, symbolizer);
}

void run_case(std::uint64_t number, const std::vector<Sample>& samples, Outcomes& outcomes) {
  g_case = number;
  alarm(kSecondsForOneCase);
  RandomModel random(number);
  const Sample& sample = samples[random.below(samples.size())];
  const Sample& other = samples[random.below(samples.size())];
  std::string trace = sample.trace;
  Live live = sample.live;
  const std::uint64_t way = random.below(10);
  if (way < 6) trace = mutate_under_checksum(random, sample.raw, other.raw);
  if (way >= 6 && way < 8) mutate_some(random, trace, other.trace);
  if (!live.header.empty() && (way >= 8 || random.chance(3))) mutate_live(random, live, other.live);
  write_files(random, trace, live);
  read_all(outcomes);
}

int run(std::uint64_t cases, double seconds, std::optional<std::uint64_t> only) {
  auto base = make_temp_directory("/dev/shm", "photofinish-fuzz");
  if (!base) base = make_temp_directory("/tmp", "photofinish-fuzz");
  CHECK(base.has_value());
  g_directory = *base + "/run";
  __sanitizer_set_death_callback(report_case);
  for (const int fatal : {SIGABRT, SIGALRM})
    signal(fatal, [](int which) {
      report_case();
      signal(which, SIG_DFL);
      raise(which);
    });

  std::vector<Sample> samples;
  for (std::uint64_t seed = 1; seed <= 12; ++seed)
    samples.push_back(make_sample(seed, seed % 2 == 0));
  Outcomes untouched;
  for (const Sample& sample : samples) {
    RandomModel never(1);
    write_files(never, sample.trace, sample.live);
    read_all(untouched);
  }
  CHECK(untouched.whole == samples.size() && untouched.delivering == samples.size());

  Outcomes outcomes;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  std::uint64_t done = 0;
  if (only)
    run_case(*only, samples, outcomes);
  else
    for (; done < cases && elapsed() < seconds; ++done) run_case(done, samples, outcomes);
  alarm(0);
  std::filesystem::remove_all(*base);
  std::printf(
      "%llu cases in %.1f s: %llu refused, %llu damaged, %llu whole; %llu delivered events, %llu "
      "in all, printed as %llu "
      "characters\n",
      static_cast<unsigned long long>(done), elapsed(),
      static_cast<unsigned long long>(outcomes.refused),
      static_cast<unsigned long long>(outcomes.damaged),
      static_cast<unsigned long long>(outcomes.whole),
      static_cast<unsigned long long>(outcomes.delivering),
      static_cast<unsigned long long>(outcomes.events),
      static_cast<unsigned long long>(outcomes.characters));
  if (only) return 0;
  // A fuzzer that makes no progress finds nothing.
  if (done < cases) return std::puts("too slow: not all cases were tried"), 1;
  if (outcomes.refused * 100 < done || outcomes.damaged * 5 < done || outcomes.whole * 100 < done ||
      outcomes.delivering * 4 < done)
    return std::puts("the cases do not reach what they are meant to reach"), 1;
  return 0;
}

}  // namespace
}  // namespace photofinish::testing

int main(int count, char** arguments) {
  const auto number = [&](int index, double otherwise) {
    return count > index ? std::atof(arguments[index]) : otherwise;
  };
  std::optional<std::uint64_t> only;
  if (count > 2 && std::string(arguments[1]) == "--only")
    only = std::strtoull(arguments[2], nullptr, 10);
  return photofinish::testing::run(static_cast<std::uint64_t>(number(1, 22'000)), number(2, 120),
                                   only);
}
