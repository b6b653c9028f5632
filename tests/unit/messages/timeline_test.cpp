// From recorded MPI calls to verdicts: the steps that the timeline makes of them, walked as by the
// ranks during the run, and from the traces afterwards.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "detect/message_analysis.h"
#include "detect/message_log.h"
#include "frontend/mpi/meaning/meaning.h"
#include "frontend/mpi/table/mpi_call.h"
#include "order/keys.h"

namespace photofinish::testing {
namespace {

using Called = photofinish::Call;

// Ranks that make calls one after the other; each call takes ten ticks.
class Recorded {
 public:
  explicit Recorded(int ranks)
      : events_(static_cast<std::size_t>(ranks)), definitions_(static_cast<std::size_t>(ranks)) {
    std::vector<WorldRank> world;
    for (int rank = 0; rank < ranks; ++rank) world.push_back(WorldRank(rank));
    for (int rank = 0; rank < ranks; ++rank) {
      Definitions& known = definitions_[static_cast<std::size_t>(rank)];
      known.rank.rank = WorldRank(rank);
      known.rank.world_size = ranks;
      known.rank.clock.id = 7;
      known.groups[GroupId(1)] = {GroupId(1), world};
      known.comms[CommId(1)] = {.id = CommId(1), .uid = Uid(11), .group = GroupId(1)};
      known.wins[WinId(1)] = {.id = WinId(1), .uid = Uid(12), .comm = CommId(1)};
    }
  }

  Event& call(int rank, Called name, std::initializer_list<std::pair<Field, std::int64_t>> fields) {
    Event& event = events_[static_cast<std::size_t>(rank)].emplace_back();
    event.call = name;
    event.task = TaskId(1);
    event.site = SiteId(static_cast<std::uint32_t>(
        1000 * (rank + 1) + static_cast<int>(events_[static_cast<std::size_t>(rank)].size())));
    event.start = now_;
    event.duration = 10;
    now_ += 20;
    for (const auto& [field, value] : fields) event.fields.set(field, value);
    return event;
  }
  void send(int from, int to, int tag = 0, Called name = MpiCall::MPI_Send) {
    call(from, name, {{Field::comm, 1}, {Field::to, to}, {Field::send_tag, tag}});
  }
  // A receive from any source.
  void receive(int at, int matched, int tag = 0) {
    call(at, MpiCall::MPI_Recv,
         {{Field::comm, 1},
          {Field::from, kAnySource.value},
          {Field::recv_tag, tag},
          {Field::matched_from, matched},
          {Field::matched_tag, tag}});
  }
  void receive_from(int at, int from, int tag = 0) {
    call(at, MpiCall::MPI_Recv,
         {{Field::comm, 1},
          {Field::from, from},
          {Field::recv_tag, tag},
          {Field::matched_from, from},
          {Field::matched_tag, tag}});
  }
  std::int64_t starts(int rank, Called name,
                      std::initializer_list<std::pair<Field, std::int64_t>> fields) {
    Event& event = call(rank, name, fields);
    event.fields.set(Field::request, ++requests_);
    event.buffers = {{BufferUse::Read, 0x1000, 4, TypeId(0)},
                     {BufferUse::Write, 0x2000, 4, TypeId(0)}};
    return requests_;
  }
  Completion& wait(int rank, std::int64_t request) {
    Event& event = call(rank, MpiCall::MPI_Wait, {});
    event.requests = {RequestId(static_cast<std::uint64_t>(request))};
    return event.completions.emplace_back();
  }
  void lock(int rank, int target, bool exclusive) {
    call(rank, MpiCall::MPI_Win_lock,
         {{Field::win, 1},
          {Field::target, target},
          {Field::lock, exclusive ? kExclusiveLock : kSharedLock},
          {Field::assertion, 0}});
  }
  void unlock(int rank, int target) {
    call(rank, MpiCall::MPI_Win_unlock, {{Field::win, 1}, {Field::target, target}});
  }
  void barrier() {
    for (std::size_t rank = 0; rank < events_.size(); ++rank)
      call(static_cast<int>(rank), MpiCall::MPI_Barrier, {{Field::comm, 1}});
  }

  // The rank is inside this call at the end of the run.
  void stays(int rank, Called name, std::initializer_list<std::pair<Field, std::int64_t>> fields) {
    call(rank, name, fields).returned = false;
  }
  void receives(int rank, std::int64_t from) {
    stays(rank, MpiCall::MPI_Recv, {{Field::comm, 1}, {Field::from, from}, {Field::recv_tag, 0}});
  }
  Event& last(int rank) { return events_[static_cast<std::size_t>(rank)].back(); }
  // The rank's last event was made by this thread; the threads' order is recorded.
  void by_thread(int rank, std::uint32_t thread) {
    last(rank).task = TaskId(thread);
    last(rank).fields.set(Field::order, ++orders_);
  }
  void synchronize(int rank, std::uint32_t from, std::uint32_t to, std::int64_t key) {
    call(rank, Called::task_release, {{Field::key, key}});
    by_thread(rank, from);
    call(rank, Called::task_acquire, {{Field::key, key}});
    by_thread(rank, to);
  }
  void dies(int rank) { died_.insert(rank); }
  // Who waits for whom, among those that can never return: "0>1 1>0 2>", and who waits for them.
  std::string chain() {
    std::string text;
    for (const Deadlock& one : from_traces().deadlocks) {
      if (!one.came_about) continue;
      for (const Deadlock::Waits& waits : one.waits)
        text += std::to_string(waits.rank.value) + ">" +
                (waits.on == kAnySource ? "any" : std::to_string(waits.on.value)) +
                (waits.for_lock               ? "l "
                 : waits.finalize != SiteId() ? "f "
                                              : " ");
      for (const WorldRank rank : one.behind) text += std::to_string(rank.value) + "> ";
    }
    return text;
  }

  MessageFindings from_traces(std::size_t memory = kNoMessageLimit) {
    std::vector<RankInput> inputs;
    std::vector<std::size_t> next(events_.size());
    for (std::size_t rank = 0; rank < events_.size(); ++rank)
      inputs.push_back({WorldRank(static_cast<std::int32_t>(rank)), &definitions_[rank],
                        mpi_meaning_of, [&, rank] {
                          return next[rank] < events_[rank].size() ? &events_[rank][next[rank]++]
                                                                   : nullptr;
                        }});
    for (const int rank : died_) inputs[static_cast<std::size_t>(rank)].was_alive = false;
    return analyze_messages(std::move(inputs), memory);
  }
  // The message that each receive of the rank took, by number.
  std::map<std::uint64_t, MessageKey> taken_by(int rank) {
    struct Taken final : MessageSink {
      void step(MessageStep) override {}
      void took(std::uint64_t operation, MessageKey key) override { keys[operation] = key; }
      std::map<std::uint64_t, MessageKey> keys;
    } sink;
    Timeline timeline(WorldRank(rank), static_cast<std::int32_t>(events_.size()),
                      definitions_[static_cast<std::size_t>(rank)]);
    timeline.report_messages(&sink, Timeline::Besides::Nothing);
    const std::unique_ptr<Meaning> meaning = mpi_meaning_of(timeline);
    for (const Event& event : events_[static_cast<std::size_t>(rank)]) meaning->add(event, {});
    return sink.keys;
  }
  // The analysis during the run, with one phase; nothing if something is pending at its end.
  std::optional<MessageFindings> while_running() {
    const auto ranks = static_cast<std::int32_t>(events_.size());
    std::vector<PhaseSteps> reported;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      MessageLog log{WorldRank(rank)};
      Timeline timeline(WorldRank(rank), ranks, definitions_[static_cast<std::size_t>(rank)]);
      timeline.report_messages(&log, Timeline::Besides::All);
      const std::unique_ptr<Meaning> meaning = mpi_meaning_of(timeline);
      for (const Event& event : events_[static_cast<std::size_t>(rank)]) {
        meaning->add(event, {event.start, event.start + event.duration});
        log.end_event();
      }
      log.end_phase(1, {});
      for (PhaseSteps& steps : log.take(false)) reported.push_back(std::move(steps));
    }
    SequencePair walk(ranks);
    if (!walk_phase(reported, ranks, walk)) return std::nullopt;
    return walk.findings();
  }
  // Both ways, which must agree.
  std::size_t races() {
    const std::size_t races = from_traces().races.size();
    const auto seen = while_running();
    EXPECT_TRUE(seen);
    if (seen) {
      EXPECT_EQ(seen->races.size(), races);
    }
    return races;
  }

 private:
  std::vector<std::vector<Event>> events_;
  std::set<int> died_;
  std::vector<Definitions> definitions_;
  std::uint64_t now_ = 100;
  std::int64_t requests_ = 0;
  std::int64_t orders_ = 0;
};

TEST(MessageTimeline, BlockingCalls) {
  Recorded run(3);
  run.send(1, 0);
  run.send(2, 0, 0, MpiCall::MPI_Ssend);
  run.receive(0, 1);
  run.receive(0, 2);
  EXPECT_EQ(run.races(), 1u);
  EXPECT_EQ(run.from_traces().messages, 2u);
}

// Rank 0 holds the lock of its own memory until it has its message.
TEST(MessageTimeline, Locks) {
  for (const bool exclusive : {true, false})
    for (const bool in_the_epoch : {true, false}) {
      Recorded run(3);
      run.lock(0, 0, exclusive);
      run.send(0, 2, 1);
      run.receive_from(2, 0, 1);
      run.send(1, 0);
      run.receive(0, 1);
      run.lock(2, 0, exclusive);  // returns, whether the lock is held or not
      if (in_the_epoch) run.send(2, 0);
      run.unlock(0, 0);
      run.unlock(2, 0);
      if (!in_the_epoch) run.send(2, 0);
      run.receive(0, 2);
      EXPECT_EQ(run.races(), exclusive && !in_the_epoch ? 0u : 1u);
    }
}

TEST(MessageTimeline, ScansThatDoNotBlock) {
  for (const bool waits : {true, false})
    for (const int first : {0, 2, 4}) {  // and not later ones
      Recorded run(6);
      const int other = 5;
      run.send(1, first);
      run.receive(first, 1);
      std::vector<std::int64_t> scans;
      for (int rank = 0; rank < 6; ++rank)
        scans.push_back(run.starts(rank, MpiCall::MPI_Iexscan, {{Field::comm, 1}}));
      if (waits) run.wait(other, scans[other]);
      run.send(other, first);
      run.receive(first, other);
      for (int rank = 0; rank < 6; ++rank)
        if (rank != other || !waits) run.wait(rank, scans[static_cast<std::size_t>(rank)]);
      EXPECT_EQ(run.races(), waits ? 0u : 1u);
    }
}

TEST(MessageTimeline, Partitions) {
  for (const bool waits : {true, false}) {
    Recorded run(3);
    const std::int64_t out = run.starts(
        0, MpiCall::MPI_Psend_init,
        {{Field::comm, 1}, {Field::to, 2}, {Field::send_tag, 1}, {Field::partitions, 2}});
    const std::int64_t in = run.starts(
        2, MpiCall::MPI_Precv_init,
        {{Field::comm, 1}, {Field::from, 0}, {Field::recv_tag, 1}, {Field::partitions, 2}});
    run.call(0, MpiCall::MPI_Start, {}).requests = {RequestId(static_cast<std::uint64_t>(out))};
    run.call(2, MpiCall::MPI_Start, {}).requests = {RequestId(static_cast<std::uint64_t>(in))};
    run.call(0, MpiCall::MPI_Pready, {{Field::request, out}, {Field::first_partition, 1}});
    run.send(1, 0);
    run.receive(0, 1);
    run.call(0, MpiCall::MPI_Pready, {{Field::request, out}, {Field::first_partition, 0}});
    if (waits) run.wait(2, in);
    run.send(2, 0);
    run.receive(0, 2);
    if (!waits) run.wait(2, in);
    run.wait(0, out);
    EXPECT_EQ(run.races(), waits ? 0u : 1u);
  }
}

// The next message has the number of the cancelled one.
TEST(MessageTimeline, CancelledSend) {
  Recorded run(2);
  const std::int64_t sent =
      run.starts(1, MpiCall::MPI_Issend, {{Field::comm, 1}, {Field::to, 0}, {Field::send_tag, 0}});
  run.wait(1, sent).cancelled = true;
  run.send(1, 0);
  run.receive_from(0, 1);
  EXPECT_EQ(run.races(), 0u);
  for (int rank = 0; rank < 2; ++rank) run.call(rank, MpiCall::MPI_Finalize, {});
  const MessageFindings found = run.from_traces();
  EXPECT_TRUE(found.followed);
  EXPECT_TRUE(found.deadlocks.empty());
}

// Rank 1's first message has been received when rank 0 has its second: rank 0 waits for it, tests
// it, or waits for any of two.
TEST(MessageTimeline, AskedFor) {
  for (const Called call :
       {MpiCall::MPI_Wait, MpiCall::MPI_Test, MpiCall::MPI_Waitany, MpiCall::MPI_Waitall,
        MpiCall::MPI_Testsome, MpiCall::MPI_Recv, MpiCall::MPI_Iprobe, MpiCall::MPI_Probe}) {
    Recorded run(2);
    run.send(1, 0, 1);
    run.send(1, 0, 2);
    if (call == MpiCall::MPI_Recv) {
      run.receive_from(0, 1, 2);
    } else if (call == MpiCall::MPI_Iprobe || call == MpiCall::MPI_Probe) {
      run.call(0, call,
               {{Field::comm, 1},
                {Field::from, 1},
                {Field::recv_tag, 2},
                {Field::matched_from, 1},
                {Field::matched_tag, 2},
                {Field::flag, 1}});
    } else {
      const std::int64_t second = run.starts(
          0, MpiCall::MPI_Irecv, {{Field::comm, 1}, {Field::from, 1}, {Field::recv_tag, 2}});
      const std::int64_t other = run.starts(
          0, MpiCall::MPI_Isend, {{Field::comm, 1}, {Field::to, 1}, {Field::send_tag, 3}});
      Event& event = run.call(0, call, {});
      event.requests = {RequestId(static_cast<std::uint64_t>(second))};
      if (call == MpiCall::MPI_Waitany || call == MpiCall::MPI_Testsome)
        event.requests.push_back(RequestId(static_cast<std::uint64_t>(other)));
      event.completions.push_back({.index = 0, .from = WorldRank(1), .tag = 2});
      run.receive_from(0, 1, 1);
      run.wait(0, other);
    }
    if (call == MpiCall::MPI_Recv || call == MpiCall::MPI_Iprobe || call == MpiCall::MPI_Probe)
      run.receive_from(0, 1, 1);
    if (call == MpiCall::MPI_Iprobe || call == MpiCall::MPI_Probe) run.receive_from(0, 1, 2);
    if (call != MpiCall::MPI_Recv && call != MpiCall::MPI_Iprobe && call != MpiCall::MPI_Probe)
      run.receive_from(1, 0, 3);
    for (int rank = 0; rank < 2; ++rank) run.call(rank, MpiCall::MPI_Finalize, {});
    const bool asks = call == MpiCall::MPI_Test || call == MpiCall::MPI_Waitany ||
                      call == MpiCall::MPI_Testsome || call == MpiCall::MPI_Iprobe;
    const auto seen = run.while_running();
    ASSERT_TRUE(seen);
    for (const MessageFindings& found : {run.from_traces(), merge_messages({*seen})}) {
      EXPECT_TRUE(found.followed);
      EXPECT_FALSE(found.unsure);
      EXPECT_EQ(found.deadlocks.size(), asks ? 0u : 1u) << traits(call).name;
      EXPECT_EQ(found.answers.size(), asks ? 1u : 0u) << traits(call).name;
    }
  }
}

TEST(MessageTimeline, ReceiveThatNobodyWaitsFor) {
  for (const bool freed : {true, false}) {
    Recorded run(2);
    const std::int64_t open = run.starts(
        0, MpiCall::MPI_Irecv, {{Field::comm, 1}, {Field::from, 1}, {Field::recv_tag, 0}});
    if (freed)
      run.call(0, MpiCall::MPI_Request_free, {}).requests = {
          RequestId(static_cast<std::uint64_t>(open))};
    run.send(1, 0);
    run.send(1, 0);
    run.receive_from(0, 1);
    run.barrier();
    for (int rank = 0; rank < 2; ++rank) run.call(rank, MpiCall::MPI_Finalize, {});
    const MessageFindings found = run.from_traces();
    EXPECT_TRUE(found.followed);
    EXPECT_TRUE(found.deadlocks.empty());
    EXPECT_FALSE(run.while_running());
  }
}

// --- messages of several threads of a rank

// Threads 1 and 2 of rank 1 start at the same time.
void start_threads(Recorded& run) {
  run.synchronize(1, 0, 1, 100);
  run.synchronize(1, 0, 2, 100);
}

TEST(MessagesOfThreads, ReceivesWithTheSameTag) {
  for (const bool ordered : {false, true}) {
    Recorded run(2);
    run.send(0, 1, 5);
    run.send(0, 1, 5);
    start_threads(run);
    run.receive_from(1, 0, 5);
    run.by_thread(1, 1);
    if (ordered) run.synchronize(1, 1, 2, 7);
    run.receive_from(1, 0, 5);
    run.by_thread(1, 2);
    const MessageFindings found = run.from_traces();
    // At each of the two call sites, the other message could have been received.
    ASSERT_EQ(found.races.size(), ordered ? 0u : 2u);
    if (ordered) continue;
    EXPECT_NE(found.races[0].receive.site, found.races[1].receive.site);
    for (const MessageFinding& race : found.races) {
      EXPECT_EQ(race.got.rank, WorldRank(0));
      ASSERT_EQ(race.others.size(), 1u);
      EXPECT_EQ(race.others[0].send.rank, WorldRank(0));
      EXPECT_NE(race.others[0].send.timestamp, race.got.timestamp);
    }
  }
}

TEST(MessagesOfThreads, ReceivesWithDifferentTags) {
  Recorded run(2);
  run.send(0, 1, 5);
  run.send(0, 1, 6);
  start_threads(run);
  for (const std::uint32_t thread : {1, 2}) {
    run.receive_from(1, 0, 4 + static_cast<int>(thread));
    run.by_thread(1, thread);
  }
  EXPECT_TRUE(run.from_traces().races.empty());
}

TEST(MessagesOfThreads, SendsWithTheSameTag) {
  for (const bool ordered : {false, true}) {
    Recorded run(2);
    start_threads(run);
    run.send(1, 0, 5);
    run.by_thread(1, 1);
    if (ordered) run.synchronize(1, 1, 2, 7);
    run.send(1, 0, 5);
    run.by_thread(1, 2);
    run.receive_from(0, 1, 5);
    run.receive_from(0, 1, 5);
    EXPECT_EQ(run.from_traces().races.size(), ordered ? 0u : 2u);
  }
}

// Thread 2 receives only after thread 1 told another rank, which answers thread 2.
TEST(MessagesOfThreads, OrderThroughAnotherRank) {
  Recorded run(2);
  run.send(0, 1, 5);
  start_threads(run);
  run.receive_from(1, 0, 5);
  run.by_thread(1, 1);
  run.send(1, 0, 8);
  run.by_thread(1, 1);
  run.receive_from(0, 1, 8);
  run.send(0, 1, 9);
  run.send(0, 1, 5);
  run.receive_from(1, 0, 9);
  run.by_thread(1, 2);
  run.receive_from(1, 0, 5);
  run.by_thread(1, 2);
  EXPECT_TRUE(run.from_traces().races.empty());
}

// --- what the ranks of a hung run wait for

TEST(WaitChain, RanksThatWaitForEachOther) {
  Recorded run(3);
  run.receives(0, 1);
  run.receives(1, 0);
  run.stays(2, MpiCall::MPI_Barrier, {{Field::comm, 1}});
  EXPECT_EQ(run.chain(), "0>1 1>0 2> ");
}

TEST(WaitChain, NotIfTheMessageIsThere) {
  Recorded run(2);
  run.send(0, 1);
  run.receives(0, 1);
  run.receives(1, 0);  // returns as soon as the process is scheduled
  EXPECT_EQ(run.chain(), "");
}

TEST(WaitChain, NotWithARankThatMayGoOn) {
  Recorded run(3);
  run.receives(0, 1);
  run.receives(1, 2);
  run.send(2, 0, 5);  // and then computes
  EXPECT_EQ(run.chain(), "");
}

TEST(WaitChain, NotWithARankThatDied) {
  for (const int dead : {0, 1}) {
    Recorded run(2);
    run.receives(0, 1);
    run.receives(1, 0);
    run.dies(dead);
    EXPECT_EQ(run.chain(), "") << dead;
  }
}

TEST(WaitChain, RankThatHasFinished) {
  for (const bool returned : {true, false}) {
    Recorded run(3);
    run.receives(0, 1);
    run.call(1, MpiCall::MPI_Finalize, {}).returned = returned;
    run.receives(2, 0);
    EXPECT_EQ(run.chain(), "0>1f 2> ");
  }
}

// It has sent before it finished.
TEST(WaitChain, NotIfAFinishedRankHasDoneItsPart) {
  Recorded run(2);
  run.receives(0, 1);
  run.send(1, 0);
  run.call(1, MpiCall::MPI_Finalize, {}).returned = false;
  EXPECT_EQ(run.chain(), "");
}

// MPI_Waitall of two receives: the message of the first is there, and nobody sends the other one.
TEST(WaitChain, OneOfSeveralRequests) {
  for (const bool any_source : {false, true}) {
    Recorded run(2);
    for (const int rank : {0, 1}) {
      std::vector<RequestId> requests;
      for (const int tag : {0, 1})
        requests.push_back(RequestId(static_cast<std::uint64_t>(
            run.starts(rank, MpiCall::MPI_Irecv,
                       {{Field::comm, 1},
                        {Field::from, any_source ? kAnySource.value : 1 - rank},
                        {Field::recv_tag, tag}}))));
      run.send(rank, 1 - rank, 0);
      run.call(rank, MpiCall::MPI_Waitall, {}).requests = requests;
      run.last(rank).returned = false;
    }
    // From any source, the message of the first is only one that it could have taken.
    EXPECT_EQ(run.chain(), any_source ? "" : "0>1 1>0 ");
  }
}

TEST(WaitChain, AnySource) {
  for (const bool one_computes : {true, false}) {
    Recorded run(3);
    for (int rank = one_computes ? 1 : 0; rank < 3; ++rank) run.receives(rank, kAnySource.value);
    EXPECT_EQ(run.chain(), one_computes ? "" : "0>any 1>any 2>any ");
  }
}

TEST(WaitChain, Probe) {
  Recorded run(2);
  run.stays(0, MpiCall::MPI_Probe, {{Field::comm, 1}, {Field::from, 1}, {Field::recv_tag, 0}});
  run.send(1, 0, 7);  // another tag
  run.receives(1, 0);
  EXPECT_EQ(run.chain(), "0>1 1>0 ");
}

TEST(WaitChain, Collectives) {
  const auto bcast = [](Recorded& run, int rank, int root) {
    run.stays(rank, MpiCall::MPI_Bcast, {{Field::comm, 1}, {Field::root, root}});
  };
  Recorded different(2);
  different.stays(0, MpiCall::MPI_Barrier, {{Field::comm, 1}});
  bcast(different, 1, 0);
  EXPECT_EQ(different.chain(), "0>1 1>0 ");
  Recorded roots(2);
  bcast(roots, 0, 1);
  bcast(roots, 1, 0);
  EXPECT_EQ(roots.chain(), "0>1 1>0 ");
  Recorded same(2);  // all have joined: it returns
  for (int rank = 0; rank < 2; ++rank) same.stays(rank, MpiCall::MPI_Barrier, {{Field::comm, 1}});
  EXPECT_EQ(same.chain(), "");
  Recorded finished(3);
  finished.stays(0, MpiCall::MPI_Finalize, {});
  for (int rank = 1; rank < 3; ++rank)
    finished.stays(rank, MpiCall::MPI_Barrier, {{Field::comm, 1}});
  EXPECT_EQ(finished.chain(), "1>0f 2>0f ");
}

// Different collectives that returned nevertheless: what follows is unknown.
TEST(WaitChain, NotAfterWhatCannotBeFollowed) {
  Recorded run(2);
  run.call(0, MpiCall::MPI_Barrier, {{Field::comm, 1}});
  run.call(1, MpiCall::MPI_Allreduce, {{Field::comm, 1}});
  run.receives(0, 1);
  run.receives(1, 0);
  EXPECT_EQ(run.chain(), "");
}

TEST(WaitChain, Locks) {
  const auto awaits = [](Recorded& run, int rank) {
    run.stays(rank, MpiCall::MPI_Win_lock,
              {{Field::win, 1},
               {Field::target, 0},
               {Field::lock, kExclusiveLock},
               {Field::assertion, 0}});
  };
  Recorded held(3);
  held.lock(0, 0, true);
  held.receives(0, 1);
  awaits(held, 1);
  held.receives(2, 0);
  EXPECT_EQ(held.chain(), "0>1 1>0l 2> ");
  Recorded given_back(2);
  given_back.lock(0, 0, true);
  given_back.unlock(0, 0);
  given_back.receives(0, 1);
  awaits(given_back, 1);
  EXPECT_EQ(given_back.chain(), "");
  Recorded computes(2);
  computes.lock(0, 0, true);
  awaits(computes, 1);
  EXPECT_EQ(computes.chain(), "");
  // The rank that unlocks may hold the lock, and wait for something else.
  for (const bool certain : {true, false}) {
    Recorded unlocks(3);
    unlocks.lock(0, 2, true);
    if (certain) unlocks.call(0, MpiCall::MPI_Win_flush, {{Field::win, 1}, {Field::target, 2}});
    unlocks.receives(0, 1);
    unlocks.lock(1, 2, true);
    unlocks.stays(1, MpiCall::MPI_Win_unlock, {{Field::win, 1}, {Field::target, 2}});
    unlocks.receives(2, 0);
    EXPECT_EQ(unlocks.chain(), certain ? "0>1 1>0l 2> " : "");
  }
}

TEST(WaitChain, Epochs) {
  Recorded fence(2);
  fence.stays(0, MpiCall::MPI_Win_fence, {{Field::win, 1}, {Field::assertion, 0}});
  fence.stays(1, MpiCall::MPI_Barrier, {{Field::comm, 1}});
  EXPECT_EQ(fence.chain(), "0>1 1>0 ");
  Recorded together(2);
  for (int rank = 0; rank < 2; ++rank)
    together.stays(rank, MpiCall::MPI_Win_fence, {{Field::win, 1}, {Field::assertion, 0}});
  EXPECT_EQ(together.chain(), "");
}

// Receives, some from any source or with any tag, are posted. Then messages arrive, each for the
// first receive that matches it. Then the receives complete in any order. The timeline reconstructs
// the match of each from the completions.
TEST(MessageTimeline, WhichMessageEachReceiveTook) {
  std::mt19937 random(1);
  const auto below = [&](int limit) {
    return static_cast<int>(random() % static_cast<unsigned>(limit));
  };
  for (int round = 0; round < 2000; ++round) {
    const int ranks = 2 + below(3), count = 1 + below(12), tags = 1 + below(3);
    Recorded run(ranks);
    struct Posted {
      Wanted wanted;
      std::int64_t request = 0;
      int from = -1, tag = 0;
      std::uint64_t index = 0;  // of its message among those of that source and tag
    };
    std::vector<Posted> posted;
    std::map<std::pair<int, int>, std::uint64_t> sent;
    std::vector<std::size_t> arrived, open;
    const auto post = [&] {
      Posted& one = posted.emplace_back();
      one.wanted = {below(2) == 0 ? kAnySource : WorldRank(1 + below(ranks - 1)),
                    below(4) == 0 ? kAnyTag : below(tags)};
      one.request = run.starts(0, MpiCall::MPI_Irecv,
                               {{Field::comm, 1},
                                {Field::from, one.wanted.source.value},
                                {Field::recv_tag, one.wanted.tag}});
      open.push_back(posted.size() - 1);
    };
    const auto arrive = [&] {  // a message for the first open receive, or for another one before it
      const Wanted wanted =
          posted[open[static_cast<std::size_t>(below(static_cast<int>(open.size())))]].wanted;
      const int from = wanted.source == kAnySource ? 1 + below(ranks - 1) : wanted.source.value;
      const int tag = wanted.tag == kAnyTag ? below(tags) : static_cast<int>(wanted.tag);
      const auto taker = std::find_if(open.begin(), open.end(), [&](std::size_t i) {
        return posted[i].wanted.takes(WorldRank(from), tag);
      });
      Posted& one = posted[*taker];
      one.from = from, one.tag = tag, one.index = sent[{from, tag}]++;
      arrived.push_back(*taker);
      open.erase(taker);
    };
    const auto complete = [&] {
      const auto which = static_cast<std::size_t>(below(static_cast<int>(arrived.size())));
      const Posted& one = posted[arrived[which]];
      Completion& completion = run.wait(0, one.request);
      completion.from = WorldRank(one.from);
      completion.tag = one.tag;
      arrived.erase(arrived.begin() + static_cast<std::ptrdiff_t>(which));
    };
    for (int left = count; left > 0 || !open.empty() || !arrived.empty();) {
      const int what = below(3);
      if (what == 0 && left > 0)
        post(), --left;
      else if (what == 1 && !open.empty())
        arrive();
      else if (what == 2 && !arrived.empty())
        complete();
    }
    const std::map<std::uint64_t, MessageKey> taken = run.taken_by(0);
    ASSERT_EQ(taken.size(), posted.size());
    for (std::size_t i = 0; i < posted.size(); ++i) {
      const Posted& one = posted[i];
      ASSERT_EQ(taken.at(i + 1),
                edge_key(Channel::Message, 11, static_cast<std::uint32_t>(one.from), 0u,
                         static_cast<std::int64_t>(one.tag), one.index))
          << "round " << round << ", receive " << i;
    }
  }
}

// If the memory limit is exceeded, the result says what was not checked.
TEST(MessageTimeline, MoreThanMemoryAllows) {
  constexpr int kMessages = 3000;
  Recorded run(3);
  std::vector<std::int64_t> requests;
  for (int i = 0; i < kMessages; ++i)
    requests.push_back(
        run.starts(0, MpiCall::MPI_Irecv,
                   {{Field::comm, 1}, {Field::from, kAnySource.value}, {Field::recv_tag, 0}}));
  for (int i = 0; i < kMessages; ++i) run.send(1 + i % 2, 0);
  for (int i = 0; i < kMessages; ++i) {
    Completion& completion = run.wait(0, requests[static_cast<std::size_t>(i)]);
    completion.from = WorldRank(1 + i % 2);
    completion.tag = 0;
  }
  for (int rank = 0; rank < 3; ++rank) run.call(rank, MpiCall::MPI_Finalize, {});
  const MessageFindings all = run.from_traces();
  EXPECT_FALSE(all.races.empty());
  EXPECT_FALSE(all.races_given_up || all.buffers_given_up);
  const MessageFindings little = run.from_traces(1 << 17);
  EXPECT_TRUE(little.races.empty());
  EXPECT_TRUE(little.races_given_up && little.buffers_given_up);
  const MessageFindings enough = run.from_traces(64 << 20);
  EXPECT_EQ(enough, all);
}

}  // namespace
}  // namespace photofinish::testing
