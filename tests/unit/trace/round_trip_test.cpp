// Round trip through real files: what is read equals what was written.
#include <algorithm>
#include <thread>

#include "base/printable.h"
#include "frontend/mpi/table/mpi_call.h"
#include "random_model.h"
#include "raw_trace.h"
#include "recording.h"

namespace photofinish {
namespace {

using namespace testing;

TEST(RoundTrip, EveryFieldAndListOfAnEvent) {
  TempDir dir;
  Event made = event(5);
  made.call = MpiCall::MPI_Waitall;
  made.result = -17;
  for (std::size_t i = 0; i < kFieldCount; ++i)
    made.fields.set(static_cast<Field>(i), i % 2 ? INT64_MIN + static_cast<std::int64_t>(i)
                                                 : INT64_MAX - static_cast<std::int64_t>(i));
  made.buffers = {{BufferUse::TargetUpdate, UINT64_MAX, INT64_MIN, TypeId(UINT32_MAX)},
                  {BufferUse::Read, 0, 0, TypeId(0)}};
  made.requests = {RequestId(0), RequestId(UINT64_MAX), RequestId(7)};
  made.numbers = {INT64_MIN, -1, 0, 1, INT64_MAX};
  made.completions = {{2, WorldRank(7), INT64_MAX, 0, true}, {0, kProcNull, kAnyTag, -1, false}};
  auto writer = start_recording(dir.path());
  record(*writer->open_lane(task(0)), made);
  writer->end(RankState::Exited, 5);

  const ReadBack read = read_back(dir.path());
  EXPECT_EQ(read.error + read.damage, "");
  EXPECT_TRUE(same_events(read.events, {made}));
  EXPECT_EQ(read.end.state, RankState::Exited);
  EXPECT_EQ(read.end.code, 5);
  EXPECT_FALSE(read.end.incomplete);
  EXPECT_FALSE(std::filesystem::exists(live_path(dir.path(), kRank)))
      << "an orderly exit leaves one complete file";
}

TEST(RoundTrip, FieldsThatTheCallReturnedAreAddedToThoseItWasGiven) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  Event made = event(1, 0, MpiCall::MPI_Recv);
  lane->begin(made, made.start);
  made.fields.set(Field::matched_from, 6);
  made.fields.set(Field::comm, 1);
  made.result = 3;
  lane->finish(made, made.start + made.duration);
  writer->end(RankState::Exited, 0);
  EXPECT_TRUE(same_events(read_back(dir.path()).events, {made}));
}

TEST(RoundTrip, EveryCallKeepsItsName) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  std::vector<Event> written;
  for (std::size_t i = 0; i < call_count(); ++i) {
    written.push_back(event(static_cast<std::int64_t>(i), 0, static_cast<Call>(i)));
    record(*lane, written.back());
  }
  writer->end(RankState::Exited, 0);
  EXPECT_TRUE(same_events(read_back(dir.path()).events, written));
}

TEST(RoundTrip, EveryDefinition) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  const ModuleDefinition module{ModuleId(1), "/lib/a b.so", "00ff", UINT64_MAX};
  const SiteDefinition site{SiteId(2), {{ModuleId(1), 0x1234}, {ModuleId(0), UINT64_MAX}}};
  const GroupDefinition group{GroupId(3), {WorldRank(7), WorldRank(0), kExternalRank}};
  const CommDefinition comm{CommId(4),     Uid(UINT64_MAX), "ring \"x\"", GroupId(3),
                            GroupId(5),    CommId(1),       true,         {WorldRank(1), kProcNull},
                            {WorldRank(2)}};
  const TypeDefinition type{TypeId(5),
                            "column",
                            "MPI_DOUBLE",
                            {{{-8, 8, {{16, 64}, {3, 4096}}}, {100000, 1, {}}}, 385, -8, 1 << 20}};
  const OpDefinition op{OpId(6), "MPI_SUM"};
  const WinDefinition win{WinId(7), Uid(9),  "halo", CommId(4), WinFlavour::Shared, true,
                          0x1000,   1 << 30, 8,      "same_op", "rar,war"};
  const TextDefinition text{TextId(8), "halo \"x\"\n"};
  const SamplingDefinition sampling{SamplingId(1), 1.1, 1, 2, 3, 4, 5, 6, 7, 8, UINT64_MAX};
  const IncompleteDefinition incomplete{IncompleteId(1), IncompleteReason::Limit, "too many"};
  const BlockDefinition block{BlockId(1), 0x1000, 64, SiteId(2), 5, BlockDefinition::kEver};
  writer->define(DefinitionKind::Incomplete, incomplete);
  writer->define(DefinitionKind::Block, block);
  writer->define(DefinitionKind::Text, text);
  writer->define(DefinitionKind::Sampling, sampling);
  writer->define(DefinitionKind::Module, module);
  writer->define(DefinitionKind::Site, site);
  writer->define(DefinitionKind::Group, group);
  writer->define(DefinitionKind::Comm, comm);
  writer->define(DefinitionKind::Type, type);
  writer->define(DefinitionKind::Op, op);
  writer->define(DefinitionKind::Win, win);
  writer->open_lane(task(11));
  writer->end(RankState::Exited, 0);

  const Definitions read = read_back(dir.path()).definitions;
  const auto same = [](const auto& map, const auto& written) {
    return map.contains(written.id) && encoded(map.at(written.id)) == encoded(written);
  };
  EXPECT_EQ(encoded(read.rank), encoded(rank_definition()));
  EXPECT_TRUE(same(read.modules, module));
  EXPECT_TRUE(same(read.incompletes, incomplete));
  EXPECT_TRUE(same(read.blocks, block));
  EXPECT_TRUE(same(read.sites, site));
  EXPECT_TRUE(same(read.groups, group));
  EXPECT_TRUE(same(read.comms, comm));
  EXPECT_TRUE(same(read.types, type));
  EXPECT_EQ(read.types.at(type.id).map, type.map);
  EXPECT_TRUE(same(read.ops, op));
  EXPECT_TRUE(same(read.wins, win));
  EXPECT_EQ(read.texts.at(text.id).text, "halo \"x\"\\n") << "a reader makes names printable";
  EXPECT_TRUE(same(read.samplings, sampling));
  EXPECT_EQ(read.samplings.at(sampling.id).slowdown, 1.1);
  EXPECT_TRUE(same(read.tasks, task(11)));
}

TEST(RoundTrip, ALaterDefinitionOfTheSameIdReplacesTheEarlier) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  writer->define(DefinitionKind::Op, OpDefinition{OpId(1), "first"});
  writer->flush();
  writer->define(DefinitionKind::Op, OpDefinition{OpId(1), "second"});
  EXPECT_EQ(read_back(dir.path()).definitions.ops.at(OpId(1)).name, "second")
      << "the newest is in the live file";
  writer->end(RankState::Exited, 0);
  EXPECT_EQ(read_back(dir.path()).definitions.ops.at(OpId(1)).name, "second");
}

TEST(RoundTrip, ManyChunksOfOneTaskStayInOrder) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  std::vector<Event> written;
  for (int n = 0; n < 50'000; ++n) {
    written.push_back(event(n));
    record(*lane, written.back());
  }
  writer->end(RankState::Exited, 0);
  EXPECT_GT(take_apart(read_file(trace_path(dir.path(), kRank))).chunks.size(), 5u);
  EXPECT_TRUE(same_events(read_back(dir.path()).events, written));
}

TEST(RoundTrip, TasksAreMergedByTimeAndEachKeepsItsOrder) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  constexpr std::uint32_t kTasks = 5;
  std::vector<Lane*> lanes;
  for (std::uint32_t id = 0; id < kTasks; ++id) lanes.push_back(writer->open_lane(task(id)));
  std::vector<std::vector<Event>> written(kTasks);
  std::vector<std::thread> threads;
  for (std::uint32_t id = 0; id < kTasks; ++id)
    threads.emplace_back([&, id] {
      for (std::int64_t n = 0; n < 8'000; ++n) {
        written[id].push_back(event(n * kTasks + (id * 7 + n) % kTasks, id));
        record(*lanes[id], written[id].back());
      }
    });
  for (auto& thread : threads) thread.join();
  writer->end(RankState::Exited, 0);

  const ReadBack read = read_back(dir.path());
  EXPECT_EQ(read.damage, "");
  EXPECT_TRUE(std::is_sorted(read.events.begin(), read.events.end(),
                             [](const Event& a, const Event& b) { return a.start < b.start; }));
  std::vector<std::vector<Event>> of_task(kTasks);
  for (const Event& e : read.events) of_task[e.task.value].push_back(e);
  for (std::uint32_t id = 0; id < kTasks; ++id)
    EXPECT_TRUE(same_events(of_task[id], written[id])) << "task " << id;
}

TEST(RoundTrip, ThousandsOfShortThreadsShareALane) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  std::vector<Event> written;
  for (std::uint32_t id = 0; id < 3'000; ++id) {
    Lane* lane = writer->open_lane(task(id));
    for (int n = 0; n < 3; ++n) {
      written.push_back(event(id * 10 + n, id));
      record(*lane, written.back());
    }
    writer->close_lane(lane);
  }
  EXPECT_EQ(std::filesystem::file_size(live_path(dir.path(), kRank)), kLivePage + 2 * kLaneBytes)
      << "one lane for definitions, one for all threads";
  EXPECT_TRUE(same_events(read_back(dir.path()).events, written)) << "from the live file";
  writer->end(RankState::Exited, 0);
  const ReadBack read = read_back(dir.path());
  EXPECT_TRUE(same_events(read.events, written));
  EXPECT_EQ(read.definitions.tasks.size(), 3'000u);
}

TEST(RoundTrip, AnEventLargerThanALane) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  std::vector<Event> written{event(1), event(2, 0, MpiCall::MPI_Waitall), event(3),
                             event(4, 0, MpiCall::MPI_Waitall), event(5)};
  for (std::size_t big : {1, 3})
    for (std::uint32_t i = 0; i < 100'000; ++i) {
      written[big].requests.push_back(RequestId(i * big));
      written[big].completions.push_back({i, WorldRank(1), 2, i, false});
    }
  for (const Event& e : written) record(*lane, e);
  EXPECT_TRUE(same_events(read_back(dir.path()).events, written)) << "from the live file";
  writer->end(RankState::Exited, 0);
  EXPECT_TRUE(same_events(read_back(dir.path()).events, written));
}

TEST(RoundTrip, ADefinitionLargerThanALane) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  TypeDefinition type{.id = TypeId(1), .name = "irregular", .element = "", .map = {}};
  for (std::int64_t i = 0; i < 60'000; ++i) type.map.footprint.push_back({i * i, i % 13 + 1, {}});
  writer->define(DefinitionKind::Op, OpDefinition{OpId(1), "before"});
  writer->define(DefinitionKind::Type, type);
  writer->define(DefinitionKind::Op, OpDefinition{OpId(2), "after"});
  for (const bool ended : {false, true}) {
    if (ended) writer->end(RankState::Exited, 0);
    const ReadBack read = read_back(dir.path());
    EXPECT_EQ(read.damage, "");
    ASSERT_TRUE(read.definitions.types.contains(TypeId(1)));
    EXPECT_EQ(read.definitions.types.at(TypeId(1)).map, type.map);
    EXPECT_EQ(read.definitions.ops.size(), 2u);
  }
}

TEST(RoundTrip, RewindGivesTheSameEventsAgain) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  for (std::uint32_t id = 0; id < 3; ++id) {
    Lane* lane = writer->open_lane(task(id));
    for (int n = 0; n < 5'000; ++n) record(*lane, event(n, id));
    lane->begin(event(5'000, id, MpiCall::MPI_Barrier), 500'000);
  }
  auto trace = RankTrace::open(dir.path(), kRank);
  ASSERT_TRUE(trace) << trace.error().message;
  const auto read_some = [&](std::size_t most) {
    std::vector<Event> events;
    const Event* next = nullptr;
    while (events.size() < most && (*trace)->next(next)) events.push_back(*next);
    return events;
  };
  const std::vector<Event> first = read_some(SIZE_MAX);
  EXPECT_EQ(first.size(), 3 * 5'001u);
  (*trace)->rewind();
  read_some(777);
  (*trace)->rewind();
  EXPECT_TRUE(same_events(read_some(SIZE_MAX), first));
  EXPECT_EQ((*trace)->damage(), "");
}

TEST(RoundTrip, TimesComeBackInNanoseconds) {
  TempDir dir;
  auto writer = TraceWriter::create(dir.path(), rank_definition(), 40.0, [](const std::string&) {});
  ASSERT_TRUE(writer);
  Lane* lane = (*writer)->open_lane(task(0));
  lane->append(event(1), 10, 13);
  lane->append(event(2), 20, 20);
  (*writer)->end(RankState::Exited, 0);
  const std::vector<Event> events = read_back(dir.path()).events;
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].start, 400u);
  EXPECT_EQ(events[0].duration, 120u);
  EXPECT_EQ(events[1].start, 800u);
}

// Property: any sequence of events and definitions is read as it was written, independent of
// flushes.
TEST(RoundTrip, RandomEventsAndDefinitions) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TempDir dir;
    RandomModel random(seed);
    auto writer = start_recording(dir.path());
    Lane* lane = writer->open_lane(task(9));
    std::vector<Event> written;
    std::vector<TypeDefinition> types;
    std::vector<CommDefinition> comms;
    std::uint64_t now = 0;
    for (int n = 0; n < 200; ++n) {
      written.push_back(random.event());
      Event& made = written.back();
      made.task = TaskId(9);
      made.duration %= 1'000'000;
      made.start = now += random.below(1'000'000);
      now += made.duration;
      record(*lane, made);
      if (random.chance(5))
        writer->define(DefinitionKind::Type, types.emplace_back(TypeDefinition{
                                                 TypeId(static_cast<std::uint32_t>(n)),
                                                 random.text(), random.text(), random.data_map()}));
      const auto ranks = [&] { return random.list([&] { return random.world_rank(kWorldSize); }); };
      if (random.chance(5))
        writer->define(DefinitionKind::Comm,
                       comms.emplace_back(CommDefinition{
                           CommId(static_cast<std::uint32_t>(n)), random.id<Uid>(), random.text(),
                           random.id<GroupId>(), random.id<GroupId>(), random.id<CommId>(),
                           random.chance(2), ranks(), ranks()}));
      if (random.chance(30)) writer->flush();
    }
    if (random.chance(2)) writer->end(RankState::Exited, 0);
    const ReadBack read = read_back(dir.path());
    EXPECT_EQ(read.error + read.damage, "");
    EXPECT_TRUE(same_events(read.events, written));
    // The reader makes names printable.
    for (auto& type : types) {
      type.name = printable(type.name);
      EXPECT_EQ(encoded(read.definitions.types.at(type.id)), encoded(type));
    }
    for (auto& comm : comms) {
      comm.name = printable(comm.name);
      EXPECT_EQ(encoded(read.definitions.comms.at(comm.id)), encoded(comm));
    }
    if (HasFailure()) return;
  }
}

// Property: a program that repeats its calls, with new requests, from sites that share slots, is
// read back unchanged. Each repetition costs a few bytes.
TEST(RoundTrip, RepeatedEventsAreReferences) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TempDir dir;
    RandomModel random(seed);
    auto writer = start_recording(dir.path());
    Lane* lane = writer->open_lane(task(9));
    std::vector<Event> loop(1 + random.below(5));
    for (Event& made : loop) {
      made = random.event();
      made.site = SiteId(static_cast<std::uint32_t>(random.below(200)));
    }
    std::vector<Event> written;
    std::uint64_t now = 0, newest = 0;
    for (int n = 0; n < 500; ++n) {
      Event made = loop[random.chance(20) ? random.below(loop.size())
                                          : static_cast<std::size_t>(n) % loop.size()];
      made.task = TaskId(9);
      made.start = now += random.below(100);
      made.duration = random.below(100);
      now += made.duration;
      if (random.chance(50)) made.result += 1;
      if (made.fields.has(Field::request))
        made.fields.set(Field::request, static_cast<std::int64_t>(++newest));
      for (RequestId& id : made.requests)
        id = RequestId(id.value % 3 == 0 ? 0 : newest - std::min(newest, id.value % 8));
      record(*lane, made);
      written.push_back(made);
    }
    writer->end(RankState::Exited, 0);
    const ReadBack read = read_back(dir.path());
    EXPECT_EQ(read.error + read.damage, "");
    EXPECT_TRUE(same_events(read.events, written));
    if (HasFailure()) return;
  }
}

TEST(RoundTrip, ARepetitionTakesThreeBytes) {
  EventEncoder encoder;
  std::vector<std::uint8_t> chunk(1 << 16);
  std::uint8_t* next = chunk.data();
  const Event made = event(5);
  for (int n = 0; n < 100; ++n) {
    std::uint8_t* const start = next;
    next = encoder.before(chunk.data(), next, made, 3);
    next = encoder.after(chunk.data(), next, made, 1, made.fields.mask());
    if (n > 0) {
      EXPECT_EQ(next - start, 3);
    }
  }
}

}  // namespace
}  // namespace photofinish
