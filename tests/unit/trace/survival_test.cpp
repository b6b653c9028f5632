// What remains of a recording if the process, a thread or the disk ends early.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <chrono>
#include <random>
#include <thread>

#include "frontend/mpi/table/mpi_call.h"
#include "raw_trace.h"
#include "recording.h"

namespace photofinish {
namespace {

using namespace testing;

// A child records `count` events, then waits in MPI_Barrier, then `die` ends it.
template <class Die>
int record_and_die(const std::string& directory, int count, Die die) {
  return in_child([&] {
    auto writer = start_recording(directory);
    Lane* lane = writer->open_lane(task(0));
    for (int n = 0; n < count; ++n) record(*lane, event(n));
    const Event barrier = event(count, 0, MpiCall::MPI_Barrier);
    lane->begin(barrier, barrier.start);
    die(*writer);
  });
}

std::vector<Event> events_and_barrier(int count) {
  std::vector<Event> events;
  for (int n = 0; n < count; ++n) events.push_back(event(n));
  events.push_back(event(count, 0, MpiCall::MPI_Barrier));
  events.back().returned = false;
  events.back().duration = 0;
  return events;
}

TEST(Survival, NothingIsLostWhenTheProcessIsKilled) {
  for (const int count : {0, 1, 100, 20'000}) {
    TempDir dir;
    const int status =
        record_and_die(dir.path(), count, [](TraceWriter&) { kill(getpid(), SIGKILL); });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    const ReadBack read = read_back(dir.path());
    EXPECT_EQ(read.error + read.damage, "");
    EXPECT_TRUE(same_events(read.events, events_and_barrier(count))) << count;
    EXPECT_EQ(read.end.state, RankState::Running) << "it could not say how it ended";
    EXPECT_EQ(read.definitions.rank.host, "node7");
  }
}

TEST(Survival, NothingIsLostByAnExitWithoutHandlers) {
  TempDir dir;
  const int status = record_and_die(dir.path(), 500, [](TraceWriter&) { _exit(9); });
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 9);
  EXPECT_TRUE(same_events(read_back(dir.path()).events, events_and_barrier(500)));
}

TEST(Survival, ASignalIsNotedBeforeItKills) {
  TempDir dir;
  const int status = record_and_die(dir.path(), 500, [](TraceWriter& writer) {
    signal(SIGABRT, SIG_DFL);
    writer.note_state(RankState::Signaled, SIGABRT);
    raise(SIGABRT);
  });
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  const ReadBack read = read_back(dir.path());
  EXPECT_TRUE(same_events(read.events, events_and_barrier(500)));
  EXPECT_EQ(read.end.state, RankState::Signaled);
  EXPECT_EQ(read.end.code, SIGABRT);
}

TEST(Survival, AnExitInsideACallKeepsTheLiveFile) {
  TempDir dir;
  record_and_die(dir.path(), 500, [](TraceWriter& writer) { writer.end(RankState::Exited, 3); });
  EXPECT_TRUE(std::filesystem::exists(live_path(dir.path(), kRank)));
  const ReadBack read = read_back(dir.path());
  EXPECT_EQ(read.damage, "");
  EXPECT_TRUE(same_events(read.events, events_and_barrier(500)));
  EXPECT_EQ(read.end.state, RankState::Exited);
  EXPECT_EQ(read.end.code, 3);
}

TEST(Survival, ACallThatLeftOnlyItsNameShowsWhereItWas) {
  TempDir dir;
  in_child([&] {
    auto writer = start_recording(dir.path());
    writer->define(DefinitionKind::Module, ModuleDefinition{ModuleId(1), "/bin/app", "", 0x10000});
    writer->define(DefinitionKind::Module,
                   ModuleDefinition{ModuleId(2), "/lib/lib.so", "", 0x7f0000});
    Lane* lane = writer->open_lane(task(0));
    record(*lane, event(1));
    lane->entered(MpiCall::MPI_Send, 0x12345);
    kill(getpid(), SIGKILL);
  });
  const ReadBack read = read_back(dir.path());
  ASSERT_EQ(read.events.size(), 2u);
  const Event& last = read.events[1];
  EXPECT_EQ(last.call, MpiCall::MPI_Send);
  EXPECT_FALSE(last.returned);
  EXPECT_EQ(last.start, read.events[0].start + read.events[0].duration);
  const auto site = read.definitions.sites.find(last.site);
  ASSERT_NE(site, read.definitions.sites.end());
  EXPECT_EQ(site->second.frames, (std::vector<SiteFrame>{{ModuleId(1), 0x2345}}));
}

TEST(Survival, ACallThatReturnedIsNotShownAsOpen) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  lane->entered(MpiCall::MPI_Isend, 1);
  record(*lane, event(1));
  lane->entered(MpiCall::MPI_Test, 1);
  lane->left();
  EXPECT_TRUE(same_events(read_back(dir.path()).events, {event(1)}));
}

TEST(Survival, TheLaneOfAThreadThatEndedInsideACallIsNotGivenAway) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(1));
  record(*lane, event(1, 1));
  Event open = event(2, 1, MpiCall::MPI_Recv);
  lane->begin(open, open.start);
  writer->close_lane(lane);
  Lane* other = writer->open_lane(task(2));
  EXPECT_NE(other, lane);
  record(*other, event(3, 2));
  writer->end(RankState::Exited, 0);
  open.returned = false;
  open.duration = 0;
  const ReadBack read = read_back(dir.path());
  EXPECT_EQ(read.damage, "");
  EXPECT_TRUE(same_events(read.events, {event(1, 1), open, event(3, 2)}));
}

TEST(Survival, TheEndOfTheProcessWhileOtherThreadsRecordDoublesNothing) {
  for (int round = 0; round < 20; ++round) {
    TempDir dir;
    auto writer = start_recording(dir.path());
    Lane* lane = writer->open_lane(task(1));
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> recorded{0};
    std::thread busy([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        record(*lane, event(recorded.load(std::memory_order_relaxed), 1));
        recorded.fetch_add(1, std::memory_order_release);
      }
    });
    while (recorded.load(std::memory_order_acquire) < 100 * (round + 1)) std::this_thread::yield();
    const std::int64_t before = recorded.load(std::memory_order_acquire);
    writer->end(RankState::Exited, 0);
    stop = true;
    busy.join();
    const ReadBack read = read_back(dir.path());
    ASSERT_EQ(read.damage, "");
    // Either the live file is gone and the copy is complete, or the copy was made inside a call and
    // the live file remains.
    ASSERT_GE(read.events.size(), static_cast<std::size_t>(before));
    for (std::size_t n = 0; n < read.events.size(); ++n)
      ASSERT_EQ(read.events[n].fields[Field::send_tag], static_cast<std::int64_t>(n));
  }
}

// The process dies after the lane was written as a chunk and before the lane is emptied: restores
// the lane.
TEST(Survival, ALaneThatWasWrittenButNotEmptiedCountsOnce) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  for (int n = 0; n < 100; ++n) record(*lane, event(n));
  const std::string full = read_file(live_path(dir.path(), kRank));
  writer->flush();
  dir.write("rank-000003.live", full);
  ReadBack read = read_back(dir.path());
  EXPECT_EQ(read.damage, "");
  EXPECT_EQ(read.events.size(), 100u);
  EXPECT_EQ(read.definitions.tasks.size(), 1u);

  // The same with the lane emptied and its number not yet incremented.
  std::string emptied = full;
  LaneHeader header;
  const std::size_t at = kLivePage + kLaneBytes;
  std::memcpy(&header, emptied.data() + at, sizeof header);
  header.committed = header.last_end = 0;
  std::memcpy(emptied.data() + at, &header, sizeof header);
  dir.write("rank-000003.live", emptied);
  EXPECT_EQ(read_back(dir.path()).events.size(), 100u);
}

TEST(Survival, ARunningRankIsReadWithoutGapsOrDoubles) {
  TempDir dir;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    auto writer = start_recording(dir.path());
    Lane* lane = writer->open_lane(task(0));
    for (int n = 0; n < 5'000'000; ++n) record(*lane, event(n));
    for (;;) pause();
  }
  const std::unique_ptr<const pid_t, void (*)(const pid_t*)> stop(&child, [](const pid_t* running) {
    kill(*running, SIGKILL);
    waitpid(*running, nullptr, 0);
  });
  std::size_t most = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (most < 100'000 && std::chrono::steady_clock::now() < deadline) {
    const ReadBack read = read_back(dir.path());
    if (!read.error.empty()) continue;  // not started yet
    ASSERT_EQ(read.damage, "");
    for (std::size_t n = 0; n < read.events.size(); ++n)
      ASSERT_EQ(read.events[n].fields[Field::send_tag], static_cast<std::int64_t>(n));
    ASSERT_GE(read.events.size(), most) << "what was there is still there";
    most = read.events.size();
  }
  EXPECT_GT(most, 0u);
}

TEST(Survival, AChunkThatWasBeingWrittenIsReadFromItsLane) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  for (int n = 0; n < 100; ++n) record(*lane, event(n));
  const std::string live = read_file(live_path(dir.path(), kRank));
  const std::size_t before = std::filesystem::file_size(trace_path(dir.path(), kRank));
  writer->flush();
  const std::string trace = read_file(trace_path(dir.path(), kRank));
  dir.write("rank-000003.live", live);
  for (std::size_t size = before; size <= trace.size(); ++size) {
    std::filesystem::remove(dir / "rank-000003.trace");
    dir.write("rank-000003.trace", trace.substr(0, size));
    const ReadBack read = read_back(dir.path());
    ASSERT_EQ(read.damage, "") << size;
    ASSERT_EQ(read.events.size(), 100u) << size;
    ASSERT_EQ(read.definitions.tasks.size(), 1u) << size;
  }
}

TEST(Survival, AChunkThatIsMissingBetweenTheFilesIsDamage) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  for (int n = 0; n < 100; ++n) record(*lane, event(n));
  writer->flush();
  record(*lane, event(100));
  const std::string trace = read_file(trace_path(dir.path(), kRank));
  dir.write("rank-000003.trace", trace.substr(0, trace.size() - 1));
  EXPECT_NE(read_back(dir.path()).damage.find("the chunks that its live file continues"),
            std::string::npos);
}

TEST(Survival, AForkedChildThatAbandonsLeavesTheParentsFilesAlone) {
  TempDir dir;
  auto writer = start_recording(dir.path());
  Lane* lane = writer->open_lane(task(0));
  record(*lane, event(1));
  in_child([&] {
    writer->abandon();
    writer->define(DefinitionKind::Op, OpDefinition{OpId(1), "child"});
    writer->flush();
    writer->end(RankState::Exited, 1);
  });
  record(*lane, event(2));
  writer->end(RankState::Exited, 0);
  const ReadBack read = read_back(dir.path());
  EXPECT_TRUE(same_events(read.events, {event(1), event(2)}));
  EXPECT_TRUE(read.definitions.ops.empty());
  EXPECT_EQ(read.end.code, 0);
}

TEST(Survival, DiscardLeavesNoFiles) {
  TempDir dir;
  start_recording(dir.path())->discard();
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(Survival, ARecordingThatCannotStartSaysWhyAndLeavesNothing) {
  TempDir dir;
  const auto nobody = [](const std::string&) {
    ADD_FAILURE() << "the error is the caller's to report";
  };
  const auto missing = TraceWriter::create(dir / "missing", rank_definition(), 1.0, nobody);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos)
      << missing.error().message;

  dir.write("rank-000003.live", "somebody else's");
  const auto taken = TraceWriter::create(dir.path(), rank_definition(), 1.0, nobody);
  ASSERT_FALSE(taken);
  EXPECT_NE(taken.error().message.find("rank-000003.live: File exists"), std::string::npos)
      << taken.error().message;
  EXPECT_FALSE(std::filesystem::exists(trace_path(dir.path(), kRank)));
  EXPECT_EQ(read_file(live_path(dir.path(), kRank)), "somebody else's");
}

// Records until the writer gives up, and slightly longer. Everything recorded before the error must
// be there.
void record_until_full(const std::string& directory) {
  auto writer = start_recording(directory);
  ASSERT_NE(writer, nullptr);
  Lane* lane = writer->open_lane(task(0));
  ASSERT_NE(lane, nullptr);
  std::mt19937_64 random(1);  // not compressible
  int recorded = 0, after = 0;
  for (int n = 0; n < 2'000'000 && after < 100; ++n) {
    Event made = event(n);
    made.fields.set(Field::address, static_cast<std::int64_t>(random()));
    record(*lane, made);
    if (complaints().empty())
      ++recorded;
    else
      ++after;
  }
  ASSERT_EQ(after, 100) << "the disk did not fill up";
  EXPECT_EQ(writer->open_lane(task(1)), nullptr) << "recording is over for new threads, too";
  writer->end(RankState::Exited, 0);
  EXPECT_EQ(std::count(complaints().begin(), complaints().end(), '\n'), 1) << complaints();
  EXPECT_NE(complaints().find("rank-000003.trace"), std::string::npos) << complaints();
  EXPECT_NE(complaints().find("recording stops here, the program continues"), std::string::npos)
      << complaints();

  const ReadBack read = read_back(directory);
  EXPECT_EQ(read.error + read.damage, "") << "a full disk leaves a whole trace";
  EXPECT_TRUE(read.end.incomplete);
  const auto why = read.definitions.incompletes.find(IncompleteId(0));
  ASSERT_NE(why, read.definitions.incompletes.end());
  EXPECT_EQ(why->second.reason, IncompleteReason::Disk);
  EXPECT_NE(why->second.text.find("rank-000003.trace"), std::string::npos) << why->second.text;
  EXPECT_EQ(read.end.state, RankState::Exited);
  ASSERT_GE(read.events.size(), static_cast<std::size_t>(recorded - 1));
  for (std::size_t n = 0; n < read.events.size(); ++n)
    ASSERT_EQ(read.events[n].fields[Field::send_tag], static_cast<std::int64_t>(n));
}

TEST(Survival, AFullDiskStopsTheRecordingAndNothingElse) {
  TempDir dir;
  if (mount("photofinish-test", dir.path().c_str(), "tmpfs", 0, "size=1500k") != 0)
    GTEST_SKIP() << "cannot mount a small tmpfs: " << std::strerror(errno) << " (needs root)";
  record_until_full(dir.path());
  EXPECT_EQ(umount2(dir.path().c_str(), MNT_DETACH), 0);
}

TEST(Survival, AFileSizeLimitStopsTheRecordingAndDoesNotKillTheProgram) {
  TempDir dir;
  const int status = in_child([&] {
    signal(SIGXFSZ, SIG_DFL);
    const rlimit limit{1 << 20, 1 << 20};
    setrlimit(RLIMIT_FSIZE, &limit);
    record_until_full(dir.path());
    _exit(::testing::Test::HasFailure() ? 1 : 0);
  });
  EXPECT_TRUE(WIFEXITED(status)) << "killed by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Survival, ADiskThatIsFullFromTheStartIsTheCallersError) {
  TempDir dir;
  if (mount("photofinish-test", dir.path().c_str(), "tmpfs", 0, "size=64k") != 0)
    GTEST_SKIP() << "cannot mount a small tmpfs: " << std::strerror(errno) << " (needs root)";
  const auto writer = TraceWriter::create(dir.path(), rank_definition(), 1.0,
                                          [](const std::string&) { ADD_FAILURE(); });
  const std::string message = writer ? "it started" : writer.error().message;
  EXPECT_NE(message.find("No space left"), std::string::npos) << message;
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
  EXPECT_EQ(umount2(dir.path().c_str(), MNT_DETACH), 0);
}

}  // namespace
}  // namespace photofinish
