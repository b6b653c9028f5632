// Calls of MPI, as they are on record, to verdicts: what the timeline tells of them, walked as the
// ranks do while they run, and from the traces afterwards.
#include <gtest/gtest.h>

#include <optional>

#include "detect/message_analysis.h"
#include "detect/message_log.h"

namespace photofinish::testing {
namespace {

using Called = photofinish::Call;

// Ranks that make calls one after the other: each takes ten ticks, wherever it is called.
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
  void send(int from, int to, int tag = 0, Called name = Called::MPI_Send) {
    call(from, name, {{Field::comm, 1}, {Field::to, to}, {Field::send_tag, tag}});
  }
  // From any source.
  void receive(int at, int matched, int tag = 0) {
    call(at, Called::MPI_Recv,
         {{Field::comm, 1},
          {Field::from, kAnySource.value},
          {Field::recv_tag, tag},
          {Field::matched_from, matched},
          {Field::matched_tag, tag}});
  }
  void receive_from(int at, int from, int tag = 0) {
    call(at, Called::MPI_Recv,
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
    Event& event = call(rank, Called::MPI_Wait, {});
    event.requests = {RequestId(static_cast<std::uint64_t>(request))};
    return event.completions.emplace_back();
  }
  void lock(int rank, int target, bool exclusive) {
    call(rank, Called::MPI_Win_lock,
         {{Field::win, 1},
          {Field::target, target},
          {Field::lock, exclusive ? kExclusiveLock : kSharedLock},
          {Field::assertion, 0}});
  }
  void unlock(int rank, int target) {
    call(rank, Called::MPI_Win_unlock, {{Field::win, 1}, {Field::target, target}});
  }
  void barrier() {
    for (std::size_t rank = 0; rank < events_.size(); ++rank)
      call(static_cast<int>(rank), Called::MPI_Barrier, {{Field::comm, 1}});
  }

  MessageFindings from_traces() {
    std::vector<RankInput> inputs;
    std::vector<std::size_t> next(events_.size());
    for (std::size_t rank = 0; rank < events_.size(); ++rank)
      inputs.push_back({WorldRank(static_cast<std::int32_t>(rank)), &definitions_[rank], [&, rank] {
                          return next[rank] < events_[rank].size() ? &events_[rank][next[rank]++]
                                                                   : nullptr;
                        }});
    return analyze_messages(std::move(inputs));
  }
  // As if all of it were one slice; nothing, if something is on its way at its end.
  std::optional<MessageFindings> while_running() {
    const auto ranks = static_cast<std::int32_t>(events_.size());
    std::vector<SliceSteps> told;
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      MessageLog log{WorldRank(rank)};
      Timeline timeline(WorldRank(rank), ranks, definitions_[static_cast<std::size_t>(rank)]);
      timeline.tell_messages(&log, Timeline::Besides::All);
      for (const Event& event : events_[static_cast<std::size_t>(rank)]) {
        timeline.add(event, {event.start, event.start + event.duration});
        log.end_event();
      }
      log.end_slice(1, {});
      for (SliceSteps& steps : log.take(false)) told.push_back(std::move(steps));
    }
    MessageWalk walk(ranks);
    if (!walk_slice(told, ranks, walk)) return std::nullopt;
    return walk.findings();
  }
  // Both ways, which must agree.
  std::size_t races() {
    const std::size_t races = from_traces().races.size();
    const auto seen = while_running();
    EXPECT_TRUE(seen);
    if (seen) EXPECT_EQ(seen->races.size(), races);
    return races;
  }

 private:
  std::vector<std::vector<Event>> events_;
  std::vector<Definitions> definitions_;
  std::uint64_t now_ = 100;
  std::int64_t requests_ = 0;
};

TEST(MessageTimeline, BlockingCalls) {
  Recorded run(3);
  run.send(1, 0);
  run.send(2, 0, 0, Called::MPI_Ssend);
  run.receive(0, 1);
  run.receive(0, 2);
  EXPECT_EQ(run.races(), 1u);
  EXPECT_EQ(run.from_traces().messages, 2u);
}

// Rank 0 keeps the lock of its own memory until it has its message.
TEST(MessageTimeline, Locks) {
  for (const bool exclusive : {true, false})
    for (const bool in_the_epoch : {true, false}) {
      Recorded run(3);
      run.lock(0, 0, exclusive);
      run.send(0, 2, 1);
      run.receive_from(2, 0, 1);
      run.send(1, 0);
      run.receive(0, 1);
      run.lock(2, 0, exclusive);  // which returns, whether the lock is held or not
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
    for (const int first : {0, 2, 4}) {  // and not those behind it
      Recorded run(6);
      const int other = 5;
      run.send(1, first);
      run.receive(first, 1);
      std::vector<std::int64_t> scans;
      for (int rank = 0; rank < 6; ++rank)
        scans.push_back(run.starts(rank, Called::MPI_Iexscan, {{Field::comm, 1}}));
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
        0, Called::MPI_Psend_init,
        {{Field::comm, 1}, {Field::to, 2}, {Field::send_tag, 1}, {Field::partitions, 2}});
    const std::int64_t in = run.starts(
        2, Called::MPI_Precv_init,
        {{Field::comm, 1}, {Field::from, 0}, {Field::recv_tag, 1}, {Field::partitions, 2}});
    run.call(0, Called::MPI_Start, {}).requests = {RequestId(static_cast<std::uint64_t>(out))};
    run.call(2, Called::MPI_Start, {}).requests = {RequestId(static_cast<std::uint64_t>(in))};
    run.call(0, Called::MPI_Pready, {{Field::request, out}, {Field::first_partition, 1}});
    run.send(1, 0);
    run.receive(0, 1);
    run.call(0, Called::MPI_Pready, {{Field::request, out}, {Field::first_partition, 0}});
    if (waits) run.wait(2, in);
    run.send(2, 0);
    run.receive(0, 2);
    if (!waits) run.wait(2, in);
    run.wait(0, out);
    EXPECT_EQ(run.races(), waits ? 0u : 1u);
  }
}

// The next message has the number of the one that was cancelled.
TEST(MessageTimeline, CancelledSend) {
  Recorded run(2);
  const std::int64_t sent =
      run.starts(1, Called::MPI_Issend, {{Field::comm, 1}, {Field::to, 0}, {Field::send_tag, 0}});
  run.wait(1, sent).cancelled = true;
  run.send(1, 0);
  run.receive_from(0, 1);
  EXPECT_EQ(run.races(), 0u);
  for (int rank = 0; rank < 2; ++rank) run.call(rank, Called::MPI_Finalize, {});
  const MessageFindings found = run.from_traces();
  EXPECT_TRUE(found.followed);
  EXPECT_TRUE(found.standstills.empty());
}

// Rank 1 is rid of its first message when rank 0 has its second: it waits for that, or asks for it,
// or for any of two.
TEST(MessageTimeline, AskedFor) {
  for (const Called call :
       {Called::MPI_Wait, Called::MPI_Test, Called::MPI_Waitany, Called::MPI_Waitall,
        Called::MPI_Testsome, Called::MPI_Recv, Called::MPI_Iprobe, Called::MPI_Probe}) {
    Recorded run(2);
    run.send(1, 0, 1);
    run.send(1, 0, 2);
    if (call == Called::MPI_Recv) {
      run.receive_from(0, 1, 2);
    } else if (call == Called::MPI_Iprobe || call == Called::MPI_Probe) {
      run.call(0, call,
               {{Field::comm, 1},
                {Field::from, 1},
                {Field::recv_tag, 2},
                {Field::matched_from, 1},
                {Field::matched_tag, 2},
                {Field::flag, 1}});
    } else {
      const std::int64_t second = run.starts(
          0, Called::MPI_Irecv, {{Field::comm, 1}, {Field::from, 1}, {Field::recv_tag, 2}});
      const std::int64_t other = run.starts(
          0, Called::MPI_Isend, {{Field::comm, 1}, {Field::to, 1}, {Field::send_tag, 3}});
      Event& event = run.call(0, call, {});
      event.requests = {RequestId(static_cast<std::uint64_t>(second))};
      if (call == Called::MPI_Waitany || call == Called::MPI_Testsome)
        event.requests.push_back(RequestId(static_cast<std::uint64_t>(other)));
      event.completions.push_back({.index = 0, .from = WorldRank(1), .tag = 2});
      run.receive_from(0, 1, 1);
      run.wait(0, other);
    }
    if (call == Called::MPI_Recv || call == Called::MPI_Iprobe || call == Called::MPI_Probe)
      run.receive_from(0, 1, 1);
    if (call == Called::MPI_Iprobe || call == Called::MPI_Probe) run.receive_from(0, 1, 2);
    if (call != Called::MPI_Recv && call != Called::MPI_Iprobe && call != Called::MPI_Probe)
      run.receive_from(1, 0, 3);
    for (int rank = 0; rank < 2; ++rank) run.call(rank, Called::MPI_Finalize, {});
    const bool asks = call == Called::MPI_Test || call == Called::MPI_Waitany ||
                      call == Called::MPI_Testsome || call == Called::MPI_Iprobe;
    const auto seen = run.while_running();
    ASSERT_TRUE(seen);
    for (const MessageFindings& found : {run.from_traces(), merge_messages({*seen})}) {
      EXPECT_TRUE(found.followed);
      EXPECT_FALSE(found.unsure);
      EXPECT_EQ(found.standstills.size(), asks ? 0u : 1u) << traits(call).name;
      EXPECT_EQ(found.answers.size(), asks ? 1u : 0u) << traits(call).name;
    }
  }
}

TEST(MessageTimeline, ReceiveThatNobodyWaitsFor) {
  for (const bool freed : {true, false}) {
    Recorded run(2);
    const std::int64_t open = run.starts(
        0, Called::MPI_Irecv, {{Field::comm, 1}, {Field::from, 1}, {Field::recv_tag, 0}});
    if (freed)
      run.call(0, Called::MPI_Request_free, {}).requests = {
          RequestId(static_cast<std::uint64_t>(open))};
    run.send(1, 0);
    run.send(1, 0);
    run.receive_from(0, 1);
    run.barrier();
    for (int rank = 0; rank < 2; ++rank) run.call(rank, Called::MPI_Finalize, {});
    const MessageFindings found = run.from_traces();
    EXPECT_TRUE(found.followed);
    EXPECT_TRUE(found.standstills.empty());
    EXPECT_FALSE(run.while_running());
  }
}

}  // namespace
}  // namespace photofinish::testing
