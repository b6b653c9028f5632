// Hand-made executions: what is a message race and what is not, and where plain vector clocks give
// wrong results.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "steps.h"

namespace photofinish::testing {
namespace {

constexpr int kAny = -1;

// Writes calls one by one; links say which receive took which send.
class Script {
 public:
  explicit Script(int processes) {
    execution_.processes.resize(static_cast<std::size_t>(processes));
  }

  Ref isend(int from, int to, int tag = 0, SendMode mode = SendMode::Standard) {
    Call call{Kind::Send, mode};
    call.peer = to;
    call.tag = tag;
    return add(from, call);
  }
  Ref send(int from, int to, int tag = 0, SendMode mode = SendMode::Standard) {
    const Ref sent = isend(from, to, tag, mode);
    wait(sent);
    return sent;
  }
  Ref ssend(int from, int to, int tag = 0) { return send(from, to, tag, SendMode::Synchronous); }
  Ref irecv(int at, int from = kAny, int tag = kAny, Kind kind = Kind::Receive) {
    Call call{kind};
    call.peer = from;
    call.tag = tag;
    return add(at, call);
  }
  Ref recv(int at, int from = kAny, int tag = kAny) {
    const Ref posted = irecv(at, from, tag);
    wait(posted);
    return posted;
  }
  Ref probe(int at, int from = kAny, int tag = kAny) { return irecv(at, from, tag, Kind::Probe); }
  void wait(Ref ref) {
    Call call{execution_.call(ref).kind == Kind::Send ? Kind::WaitSend : Kind::WaitReceive};
    call.of = ref.event;
    add(ref.process, call);
  }
  void cancel(Ref ref) {
    Call call{Kind::Cancel};
    call.of = ref.event;
    execution_.links.push_back({LinkKind::Cancelled, {}, ref, add(ref.process, call)});
    wait(ref);
  }
  Ref lock(int at, bool exclusive) {
    const Ref lock = add(at, {.kind = Kind::Lock, .key = 0, .exclusive = exclusive});
    execution_.links.push_back({LinkKind::Granted, {}, lock, {}});
    return lock;
  }
  void unlock(Ref lock) {
    add(lock.process,
        {.kind = Kind::Unlock, .key = 0, .exclusive = execution_.call(lock).exclusive});
  }
  void barrier() {
    Call call{Kind::Release};
    call.key = keys_++;
    for (int p = 0; p < execution_.size(); ++p) add(p, call);
    call.kind = Kind::Acquire;
    for (int p = 0; p < execution_.size(); ++p) add(p, call);
  }
  void match(Ref send, Ref receive) {
    execution_.links.push_back(
        {execution_.call(receive).kind == Kind::Probe ? LinkKind::Saw : LinkKind::Match,
         send,
         receive,
         {}});
  }
  // Each process ends with a release, so that its last call has returned.
  const Execution& done() {
    Call call{Kind::Release};
    call.key = keys_++;
    for (int p = 0; p < execution_.size(); ++p) add(p, call);
    return execution_;
  }

 private:
  Ref add(int process, Call call) {
    auto& calls = execution_.processes[static_cast<std::size_t>(process)];
    calls.push_back(call);
    return {process, static_cast<int>(calls.size()) - 1};
  }
  Execution execution_;
  int keys_ = 0;
};

// The result of all three ways, which must agree.
std::set<Pair> races(Script& script) {
  const Execution& execution = script.done();
  const auto order = linearise(execution, [] { return 0u; });
  std::size_t elements = execution.links.size();
  for (const auto& process : execution.processes) elements += process.size();
  EXPECT_EQ(order.size(), elements) << "it could not have happened:\n" << text(execution);
  const std::set<Pair> pairs = close(execution).pairs;
  const auto explored = explore(execution, 1000000);
  EXPECT_TRUE(explored == pairs) << text(execution);
  EXPECT_EQ(detected(execution, order, own_site), sites_of(pairs, own_site)) << text(execution);
  return pairs;
}

// A plain vector-clock detector: a receive is one event, at its post or at its completion. A
// matching send that does not follow that event could have been taken.
enum class ReceiveIs { Posted, Completed };
std::set<Pair> by_vector_clocks(const Execution& execution, ReceiveIs event) {
  using Clock = std::vector<int>;
  std::map<Ref, Clock> at_send;
  std::map<Ref, Clock> at_receive;  // the own component of the clock is its time
  std::vector<Clock> clocks(execution.processes.size(), Clock(execution.processes.size()));
  std::vector<int> begun(execution.processes.size());
  const auto joins = [](Clock& clock, const Clock& other) {
    for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
  };
  std::map<int, Clock> released;
  for (const Happening& happening : linearise(execution, [] { return 0u; })) {
    if (happening.link >= 0) continue;
    const auto p = static_cast<std::size_t>(happening.process);
    Clock& clock = clocks[p];
    const auto arrives = [&](Ref receive) {
      if (const Link* link = execution.link_of(receive); link != nullptr && link->send)
        joins(clock, at_send.at(*link->send));
    };
    if (begun[p] > 0) {
      const Ref last{happening.process, begun[p] - 1};
      const Call& call = execution.call(last);
      if (call.kind == Kind::WaitReceive) {
        const Ref receive{happening.process, call.of};
        arrives(receive);
        if (event == ReceiveIs::Completed) at_receive[receive] = clock;
      }
      if (call.kind == Kind::Acquire) joins(clock, released[call.key]);
    }
    const Ref ref{happening.process, begun[p]++};
    ++clock[p];
    const Call& call = execution.call(ref);
    if (call.kind == Kind::Send) at_send[ref] = clock;
    if (call.kind == Kind::Receive && event == ReceiveIs::Posted) at_receive[ref] = clock;
    if (call.kind == Kind::Release)
      joins(released.try_emplace(call.key, Clock(clocks.size())).first->second, clock);
  }
  std::set<Pair> pairs;
  for (const Link& link : execution.links) {
    if (link.kind != LinkKind::Match) continue;
    const auto own = static_cast<std::size_t>(link.receive.process);
    const auto received = at_receive.find(link.receive);
    for (const auto& [send, clock] : at_send) {
      if (send.process == link.send->process || !execution.fits(send, link.receive)) continue;
      if (const Link* taken = execution.taken(send);
          taken != nullptr && taken->receive < link.receive)
        continue;
      // Events that follow the receive have a greater own component if it is its completion, and at
      // least the same if it is its post.
      const bool ordered =
          received != at_receive.end() &&
          clock[own] >= received->second[own] + (event == ReceiveIs::Completed ? 1 : 0);
      if (!ordered) pairs.insert({link.receive, send});
    }
  }
  return pairs;
}

TEST(MessageCases, GatherFromAnySource) {
  Script script(3);
  const Ref one = script.send(1, 0), two = script.send(2, 0);
  const Ref first = script.recv(0), second = script.recv(0);
  script.match(one, first);
  script.match(two, second);
  EXPECT_EQ(races(script), (std::set<Pair>{{first, two}}));
}

TEST(MessageCases, NamedSourcesOrTagsThatSeparate) {
  Script named(3);
  named.match(named.send(1, 0), named.recv(0, 1));
  named.match(named.send(2, 0), named.recv(0, 2));
  EXPECT_TRUE(races(named).empty());

  Script tags(3);
  tags.match(tags.send(1, 0, 1), tags.recv(0, kAny, 1));
  tags.match(tags.send(2, 0, 2), tags.recv(0, kAny, 2));
  EXPECT_TRUE(races(tags).empty());

  Script any_tag(3);  // the other receive's tag does not help if the first takes any
  const Ref one = any_tag.send(1, 0, 1), two = any_tag.send(2, 0, 2);
  const Ref first = any_tag.recv(0), second = any_tag.recv(0, kAny, 2);
  any_tag.match(one, first);
  any_tag.match(two, second);
  EXPECT_EQ(races(any_tag), (std::set<Pair>{{first, two}}));
}

TEST(MessageCases, OnlyOneSender) {
  Script script(3);
  script.match(script.send(1, 0), script.recv(0));
  script.match(script.send(1, 0), script.recv(0));
  EXPECT_TRUE(races(script).empty());
}

TEST(MessageCases, Barrier) {
  Script ordered(3);
  ordered.match(ordered.send(1, 0), ordered.recv(0));
  ordered.barrier();
  ordered.match(ordered.send(2, 0), ordered.recv(0));
  EXPECT_TRUE(races(ordered).empty());

  Script too_early(3);  // the receive that is pending across the barrier
  const Ref open = too_early.irecv(0);
  too_early.barrier();
  const Ref one = too_early.send(1, 0), two = too_early.send(2, 0);
  too_early.wait(open);
  const Ref next = too_early.recv(0);
  too_early.match(one, open);
  too_early.match(two, next);
  EXPECT_EQ(races(too_early), (std::set<Pair>{{open, two}}));
}

// Rank 0 holds a lock, and has notified rank 2, until it has its message. Rank 2 sends after it has
// held the same lock.
TEST(MessageCases, Lock) {
  for (const bool exclusive : {true, false}) {
    Script script(3);
    const Ref held = script.lock(0, exclusive);
    script.match(script.send(0, 2), script.recv(2, 0));
    const Ref one = script.send(1, 0), first = script.recv(0);
    script.match(one, first);
    script.unlock(held);
    const Ref later = script.lock(2, false);
    script.unlock(later);
    const Ref two = script.send(2, 0);
    script.match(two, script.recv(0));
    if (exclusive)
      EXPECT_TRUE(races(script).empty());
    else
      EXPECT_EQ(races(script), (std::set<Pair>{{first, two}}));
  }
}

TEST(MessageCases, ChainThroughAThirdRank) {
  for (const bool synchronous : {true, false}) {
    Script script(3);
    // 1 sends to 0, then notifies 2, which sends to 0: ordered only if the first send waits for its
    // match.
    const Ref one = script.send(1, 0, 0, synchronous ? SendMode::Synchronous : SendMode::Standard);
    const Ref token = script.send(1, 2);
    script.match(token, script.recv(2, 1));
    const Ref two = script.send(2, 0);
    const Ref first = script.recv(0), second = script.recv(0);
    script.match(one, first);
    script.match(two, second);
    if (synchronous)
      EXPECT_TRUE(races(script).empty());
    else
      EXPECT_EQ(races(script), (std::set<Pair>{{first, two}}));
  }
}

TEST(MessageCases, ReceiverAnswersFirst) {
  Script script(3);
  const Ref one = script.send(1, 0), first = script.recv(0);
  script.match(one, first);
  script.match(script.send(0, 2), script.recv(2, 0));
  script.match(script.send(2, 0), script.recv(0));
  EXPECT_TRUE(races(script).empty());
}

TEST(MessageCases, Probes) {
  Script script(3);
  const Ref one = script.send(1, 0), two = script.send(2, 0);
  const Ref probe = script.probe(0);
  script.match(one, probe);
  script.match(one, script.recv(0, 1));
  script.match(two, script.recv(0, 2));
  EXPECT_EQ(races(script), (std::set<Pair>{{probe, two}}));
}

TEST(MessageCases, CancelledReceive) {
  Script script(2);
  const Ref given_up = script.irecv(0, 1);
  script.cancel(given_up);
  const Ref sent = script.send(1, 0);
  script.match(sent, script.recv(0, 1));
  EXPECT_EQ(races(script), (std::set<Pair>{{given_up, sent}}));
}

TEST(MessageCases, MessageThatNobodyTook) {
  Script script(3);
  const Ref one = script.send(1, 0), two = script.send(2, 0), only = script.recv(0);
  script.match(one, only);
  EXPECT_EQ(races(script), (std::set<Pair>{{only, two}}));
}

// The conflicts of the theorem contain both messages of rank 2; the later one could be taken only
// after the earlier one.
TEST(MessageCases, FirstOfEachRank) {
  Script script(3);
  const Ref a = script.send(1, 0), b = script.send(2, 0), c = script.send(2, 0);
  const Ref r0 = script.recv(0), r1 = script.recv(0), r2 = script.recv(0);
  script.match(a, r0);
  script.match(b, r1);
  script.match(c, r2);
  EXPECT_EQ(races(script), (std::set<Pair>{{r0, b}}));
  EXPECT_EQ(close(script.done()).conflicts, (std::set<Pair>{{r0, b}, {r0, c}}));
}

// Rank 2's second message is matched before it is known which receive takes the first: one before
// the wildcard, or one after it.
TEST(MessageCases, HangsOnAnEarlierSend) {
  for (const bool taken_before : {true, false}) {
    Script script(4);
    const Ref r0 = script.irecv(0, kAny, 1), r1 = script.irecv(0), r2 = script.irecv(0, kAny, 2),
              r3 = script.irecv(0, kAny, 1);
    const Ref s1 = script.isend(1, 0, 3), s3 = script.isend(2, 0, 1), s2 = script.isend(2, 0, 2),
              s0 = script.isend(3, 0, 1);
    script.match(s1, r1);
    script.match(s2, r2);
    script.match(taken_before ? s3 : s0, r0);
    script.match(taken_before ? s0 : s3, r3);
    if (taken_before)
      EXPECT_EQ(races(script), (std::set<Pair>{{r0, s0}, {r1, s0}, {r1, s2}}));
    else
      EXPECT_EQ(races(script), (std::set<Pair>{{r0, s3}, {r1, s3}}));
  }
}

// Two receives at one site, and a pending one between them that keeps a message from the second,
// not from the first.
TEST(MessageCases, OpenReceiveBetweenTwoOfOneSite) {
  Script script(4);
  const Ref r5 = script.irecv(0, kAny, 1), first = script.irecv(0, kAny, 2),
            between = script.irecv(0, 2), second = script.irecv(0, kAny, 2);
  const Ref a = script.isend(3, 0, 2), b = script.isend(3, 0, 2), s4 = script.isend(2, 0, 1),
            s2 = script.isend(2, 0, 2);
  script.match(a, first);
  script.match(b, second);
  script.wait(second);
  const Ref token = script.send(0, 3, 9);
  script.match(token, script.recv(3, 0, 9));
  const Ref s5 = script.isend(3, 0, 1);
  script.match(s5, r5);
  script.match(s4, between);
  const Ref last = script.irecv(0, kAny, 2);
  script.match(s2, last);
  const std::set<Pair> pairs = races(script);
  EXPECT_EQ(pairs.count({first, s2}), 1u);
  EXPECT_EQ(pairs.count({second, s2}), 0u);
  const SiteOf site_of = [=](Ref ref) { return own_site(ref == second ? first : ref); };
  const Execution& execution = script.done();
  EXPECT_EQ(detected(execution, linearise(execution, [] { return 0u; }), site_of),
            sites_of(close(execution).pairs, site_of));
}

// The message that rank 2 waited for implies what came with the message that had to match before
// it.
TEST(MessageCases, KnowledgeComesWithEarlierMatches) {
  Script script(5);
  const Ref r1 = script.recv(0), s1 = script.isend(4, 0);
  script.match(s1, r1);
  script.match(script.send(0, 1, 9), script.recv(1, 0, 9));
  const Ref early = script.isend(1, 2), late = script.isend(3, 2);
  const Ref open = script.irecv(2), waited = script.irecv(2);
  script.wait(waited);
  script.match(early, open);
  script.match(late, waited);
  const Ref s2 = script.isend(2, 0), r2 = script.irecv(0);
  script.match(s2, r2);
  EXPECT_EQ(races(script), (std::set<Pair>{{open, late}}));
}

// Messages of one rank: a receive that fits both cannot take the second before the first.
TEST(MessageCases, EarlierSendOfTheSameRankIsGone) {
  Script script(4);
  const Ref r1 = script.irecv(0, kAny, 1), r2 = script.irecv(0, 1);
  const Ref s1 = script.isend(1, 0, 1), s2 = script.isend(1, 0, 2);
  script.wait(r2);
  script.match(s1, r1);
  script.match(s2, r2);
  script.match(script.send(0, 3, 9), script.recv(3, 0, 9));
  const Ref s3 = script.isend(3, 0, 1), r3 = script.irecv(0, kAny, 1);
  script.match(s3, r3);
  EXPECT_TRUE(races(script).empty());
}

// Two receives are pending. The rank waits for the one posted later, and only then notifies rank 2,
// which sends. That message cannot match the first receive. Messages of rank 1 do not overtake each
// other, so the first receive was matched when the second was.
TEST(MessageCases, VectorClocksInventOne) {
  Script script(3);
  const Ref s1 = script.isend(1, 0), s2 = script.isend(1, 0);
  const Ref r1 = script.irecv(0), r2 = script.irecv(0);
  script.wait(r2);
  const Ref token = script.send(0, 2);
  script.match(token, script.recv(2, 0));
  const Ref s3 = script.send(2, 0);
  script.wait(r1);
  const Ref r3 = script.recv(0);
  script.match(s1, r1);
  script.match(s2, r2);
  script.match(s3, r3);
  EXPECT_TRUE(races(script).empty());
  EXPECT_EQ(by_vector_clocks(script.done(), ReceiveIs::Completed), (std::set<Pair>{{r1, s3}}));
  EXPECT_TRUE(by_vector_clocks(script.done(), ReceiveIs::Posted).empty());
}

// The receive is posted before rank 2 is notified to send, and is not waited for: it may still be
// unmatched.
TEST(MessageCases, VectorClocksMissOne) {
  Script script(3);
  const Ref s1 = script.isend(1, 0);
  const Ref r1 = script.irecv(0);
  const Ref token = script.send(0, 2);
  script.match(token, script.recv(2, 0));
  const Ref s2 = script.send(2, 0);
  script.wait(r1);
  const Ref r2 = script.recv(0);
  script.match(s1, r1);
  script.match(s2, r2);
  EXPECT_EQ(races(script), (std::set<Pair>{{r1, s2}}));
  EXPECT_TRUE(by_vector_clocks(script.done(), ReceiveIs::Posted).empty());
  EXPECT_EQ(by_vector_clocks(script.done(), ReceiveIs::Completed), (std::set<Pair>{{r1, s2}}));
}

std::vector<WaitChain> without_buffers(Script& script) {
  const Execution& execution = script.done();
  MessageSequence sequence(execution.size(), MessageSequence::Sends::Unbuffered, nullptr);
  report(execution, own_site, [] { return 0u; }, sequence);
  sequence.finish();
  return sequence.deadlocks();
}

TEST(MessageCases, ExchangeThatNeedsBuffers) {
  Script script(2);
  const Ref here = script.send(0, 1), there = script.send(1, 0);
  script.match(there, script.recv(0, 1));
  script.match(here, script.recv(1, 0));
  EXPECT_TRUE(races(script).empty());
  const auto deadlocks = without_buffers(script);
  ASSERT_EQ(deadlocks.size(), 1u);
  EXPECT_TRUE(deadlocks[0].cycle);
  ASSERT_EQ(deadlocks[0].waits.size(), 2u);
  for (const WaitChain::Waits& waits : deadlocks[0].waits) {
    EXPECT_EQ(waits.step.kind, MessageStep::Kind::CompleteSend);
    EXPECT_EQ(waits.on, WorldRank(1 - waits.rank.value));
  }
}

TEST(MessageCases, ExchangeThatDoesNot) {
  Script script(2);  // as in MPI_Sendrecv
  Ref sends[2], receives[2];
  for (const int p : {0, 1}) {
    sends[p] = script.isend(p, 1 - p);
    receives[p] = script.irecv(p, 1 - p);
    script.wait(sends[p]);
    script.wait(receives[p]);
  }
  script.match(sends[1], receives[0]);
  script.match(sends[0], receives[1]);
  EXPECT_TRUE(without_buffers(script).empty());

  Script buffered(2);  // MPI_Bsend has its own buffer
  const Ref here = buffered.send(0, 1, 0, SendMode::Buffered),
            there = buffered.send(1, 0, 0, SendMode::Buffered);
  buffered.match(there, buffered.recv(0, 1));
  buffered.match(here, buffered.recv(1, 0));
  EXPECT_TRUE(without_buffers(buffered).empty());
}

TEST(MessageCases, NobodyReceives) {
  Script script(2);
  script.send(0, 1);
  const auto deadlocks = without_buffers(script);
  ASSERT_EQ(deadlocks.size(), 1u);
  EXPECT_FALSE(deadlocks[0].cycle);
}

// A receive that no call waits for has still taken its message, even if the match is not reported.
TEST(MessageCases, NobodyWaitsForTheReceive) {
  for (const int source : {1, kAny}) {
    Script script(2);
    script.irecv(0, source);
    script.send(1, 0);
    script.barrier();
    EXPECT_TRUE(without_buffers(script).empty());
  }
  Script behind(2);  // nor later ones
  behind.irecv(0, kAny);
  behind.send(1, 0);
  const Ref second = behind.send(1, 0);
  behind.match(second, behind.recv(0, 1));
  EXPECT_TRUE(without_buffers(behind).empty());
}

// The observed matching needs a buffer; without one the wildcard receive would take the other
// message.
TEST(MessageCases, AnotherMatchGoesOn) {
  Script script(3);
  const Ref slow = script.send(1, 0);
  const Ref token = script.send(1, 2);
  script.match(token, script.recv(2, 1));
  const Ref fast = script.send(2, 0);
  const Ref first = script.recv(0), second = script.recv(0);
  script.match(fast, first);
  script.match(slow, second);
  const auto deadlocks = without_buffers(script);
  ASSERT_EQ(deadlocks.size(), 1u);
  EXPECT_TRUE(deadlocks[0].cycle);
  EXPECT_TRUE(deadlocks[0].other_match);
}

// Memory depends on the number of outstanding operations, not on the length of the run.
TEST(MessageCases, NothingPilesUp) {
  constexpr int kRanks = 8;
  MessageRaces races(kRanks);
  std::size_t early = 0, late = 0;
  for (int round = 0; round < 4000; ++round) {
    std::vector<MessageRaces::Receive> receives;
    std::vector<MessageRaces::Send> sends;
    const auto end = [&](int rank, std::uint64_t site, std::int64_t tag) {
      return MessageEnd{WorldRank(rank), 0, SiteId(), site, tag};
    };
    for (int i = 1; i < kRanks; ++i) {
      const std::int64_t tag = round;  // a new one in each round
      receives.push_back(races.receive(end(0, 1, tag), Uid(1), {kAnySource, tag}));
      sends.push_back(races.send(end(i, 2, tag), Uid(1), WorldRank(0), SendMode::Standard));
    }
    for (std::size_t i = 0; i < sends.size(); ++i) races.match(sends[i], receives[i]);
    for (const MessageRaces::Receive& receive : receives) races.complete(receive);
    for (int i = 0; i < kRanks; ++i) races.release(WorldRank(i), 5);
    for (int i = 0; i < kRanks; ++i) races.acquire(WorldRank(i), 5);
    races.forget(5);
    const auto held = races.held();
    const std::size_t all = held.sends + held.receives + held.kept + held.clock_bytes;
    (round < 1000 ? early : late) = std::max(round < 1000 ? early : late, all);
  }
  EXPECT_LE(late, early);
  ASSERT_EQ(races.races().size(), 1u);
}

}  // namespace
}  // namespace photofinish::testing
