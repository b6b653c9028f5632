// Executions logged by each process, phase by phase, and walked by the resolver of the phase. If
// nothing is pending at the end of a phase, the races and deadlocks must equal those of one walk
// over everything. If something is pending, that must be detected.
#include <iostream>

#include "detect/batch.h"
#include "hold.h"
#include "steps.h"

namespace photofinish::testing {
namespace {

// The state with all events begun and all links made.
State end_of(const Execution& execution) {
  State state(execution);
  for (int p = 0; p < execution.size(); ++p)
    for (std::size_t e = 0; e < execution.processes[static_cast<std::size_t>(p)].size(); ++e)
      state.begin(p);
  for (std::size_t i = 0; i < execution.links.size(); ++i) state.link(i);
  return state;
}

bool is_waited_for(const Execution& execution, Ref receive) {
  const auto& calls = execution.processes[static_cast<std::size_t>(receive.process)];
  return std::any_of(calls.begin(), calls.end(), [&](const Call& call) {
    return call.kind == Kind::WaitReceive && call.of == receive.event;
  });
}

bool is_stuck(const Execution& execution) {
  const State state = end_of(execution);
  for (int p = 0; p < execution.size(); ++p)
    if (const int count = static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size());
        count != 0 && !state.over({p, count - 1}))
      return true;
  return false;
}

// Completes an execution in which no process is stuck: matched receives are waited for, open
// receives are cancelled, and unreceived messages are received.
Execution tidied(const Execution& before) {
  Execution execution = before;
  const auto add = [&](int process, const Call& call) {
    auto& calls = execution.processes[static_cast<std::size_t>(process)];
    calls.push_back(call);
    return Ref{process, static_cast<int>(calls.size()) - 1};
  };
  const auto each = [&](Kind kind, const auto& visit) {
    for (int p = 0; p < before.size(); ++p)
      for (int e = 0; e < static_cast<int>(before.processes[static_cast<std::size_t>(p)].size());
           ++e)
        if (before.call({p, e}).kind == kind) visit(Ref{p, e});
  };
  each(Kind::Receive, [&](Ref receive) {
    if (is_waited_for(before, receive)) return;
    if (before.link_of(receive) == nullptr)
      execution.links.push_back(
          {LinkKind::Cancelled,
           {},
           receive,
           add(receive.process, {.kind = Kind::Cancel, .of = receive.event})});
    add(receive.process, {.kind = Kind::WaitReceive, .of = receive.event});
  });
  each(Kind::Send, [&](Ref send) {
    if (before.taken(send) != nullptr) return;
    const Call& call = before.call(send);
    const Ref receive =
        add(call.peer,
            {.kind = Kind::Receive, .comm = call.comm, .peer = send.process, .tag = call.tag});
    execution.links.push_back({LinkKind::Match, send, receive, {}});
    add(call.peer, {.kind = Kind::WaitReceive, .of = receive.event});
  });
  return execution;
}

// The last wait of each process that is not stuck returns.
Execution gone_on(Execution execution) {
  const State state = end_of(execution);
  for (int p = 0; p < execution.size(); ++p) {
    auto& calls = execution.processes[static_cast<std::size_t>(p)];
    if (calls.empty() || state.over({p, static_cast<int>(calls.size()) - 1}))
      calls.push_back({.kind = Kind::Release, .key = 1000 + p});
  }
  return execution;
}

// Nothing is pending.
bool is_quiet(const Execution& execution) {
  const State state = end_of(execution);
  for (int p = 0; p < execution.size(); ++p)
    for (int e = 0; e < static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size());
         ++e) {
      const Ref ref{p, e};
      const Call& call = execution.call(ref);
      if (!state.over(ref)) return false;
      if (call.kind == Kind::Send && execution.taken(ref) == nullptr) return false;
      if (call.kind == Kind::Receive && !is_waited_for(execution, ref)) return false;
    }
  return true;
}

// The log of each process, decoded from a batch.
std::vector<PhaseSteps> logged(const Execution& execution, SyncPoint phase, bool last,
                               const SiteOf& site_of,
                               const std::function<std::uint32_t()>& random) {
  std::vector<PhaseSteps> all;
  for (int p = 0; p < execution.size(); ++p) {
    MessageLog log{WorldRank(p)};
    log.end_phase(phase, {});
    std::vector<std::pair<std::uint64_t, MessageKey>> later;
    for (MessageStep step : steps_of(execution, p, site_of)) {
      if ((step.kind == MessageStep::Kind::Receive || step.kind == MessageStep::Kind::Probe) &&
          step.key != 0)
        later.emplace_back(step.operation, std::exchange(step.key, 0));
      if (step.kind == MessageStep::Kind::Release && step.others == 0) continue;
      log.step(std::move(step));
      if (random() % 2 == 0) log.end_event();
      while (!later.empty() && random() % 2 == 0) {
        const std::size_t choice = random() % later.size();
        log.end_event();
        log.took(later[choice].first, later[choice].second);
        later.erase(later.begin() + static_cast<std::ptrdiff_t>(choice));
      }
    }
    log.end_event();
    for (const auto& [operation, key] : later) log.took(operation, key);
    if (!last) log.end_phase(phase + 1, {SiteId(1), 77});
    Batch batch, arrived;
    batch.steps = log.take(last);
    EXPECT_TRUE(decode(encode(batch), arrived));
    for (PhaseSteps& steps : arrived.steps) all.push_back(std::move(steps));
  }
  return all;
}

SitePairs found_by(SequencePair& walk) {
  SitePairs found;
  for (const MessageFinding& race : walk.findings().races)
    for (const MessageFinding::Other& other : race.others)
      found.insert({race.receive.site_key, other.send.site_key});
  return found;
}

TEST(MessageLog, PhaseByPhase) {
  int quiet = 0, busy = 0, stuck = 0;
  hold_for_each_focus([&](Focus focus) {
    const Program programs_of[] = {*programs(focus), *programs(focus)};
    std::uint32_t seed =
        static_cast<std::uint32_t>(programs_of[0].steps.size() * 977 + programs_of[1].stop);
    const auto random = [&] { return (seed = seed * 1664525 + 1013904223) >> 16; };
    constexpr std::int32_t kRanks = 6;  // some have no steps
    SequencePair walk(kRanks);
    SitePairs right;
    bool ends = true, is_sure = false, is_known = true;
    SyncPoint phase = 0;
    for (const Program& program : programs_of) {
      const Execution seen = run(program);
      const Execution execution =
          gone_on(is_stuck(seen) || random() % 4 == 0 ? seen : tidied(seen));
      const SiteOf site_of = [&](Ref ref) {
        return own_site(ref) | static_cast<std::uint64_t>(phase) << 24;
      };
      const bool last = phase == 1 || is_stuck(execution);
      const std::vector<PhaseSteps> reported = logged(execution, phase, last, site_of, random);
      if (reported.empty()) continue;
      const bool is_quiet = testing::is_quiet(execution);
      const bool walked = walk_phase(reported, kRanks, walk);
      RC_ASSERT(walked == (is_quiet || last));
      ++(is_quiet ? quiet : busy);
      if (!walked) return;
      for (const auto& pair : sites_of(close(execution).pairs, site_of)) right.insert(pair);
      const auto ended = ends_unbuffered(execution);
      is_known &= ended && !any_cancelled_send(execution);
      is_sure |= ends && surely_stuck_unbuffered(execution).value_or(false);
      ends &= ended.value_or(true);
      if (last) break;
      phase += 1;
    }
    if (!is_known) return;
    RC_ASSERT(found_by(walk) == right);
    const MessageFindings found = merge_messages({walk.findings()});
    RC_ASSERT((found.deadlocks.empty() && found.answers.empty() && !found.unsure) == ends);
    // After an unknown phase nothing is known.
    RC_ASSERT(std::any_of(found.deadlocks.begin(), found.deadlocks.end(),
                          [](const Deadlock& one) { return !one.other_match; }) == is_sure);
    stuck += !ends;
  });
  EXPECT_GT(quiet, 1000);
  EXPECT_GT(busy, 1000);
  std::cout << quiet << " slices with nothing left on its way, " << busy << " with; " << stuck
            << " would get stuck without buffers\n";
}

// Thousands of locks in a row: the stored state does not grow, and still orders the events around
// them.
TEST(MessageLog, LocksInARow) {
  for (const bool exclusive : {true, false}) {
    const auto end = [](MessageStep::Kind kind, std::uint64_t operation, WorldRank peer) {
      MessageStep step;
      step.kind = kind;
      step.operation = operation;
      step.peer = peer;
      step.tag = 0;
      step.comm = Uid(7);
      step.site_key = operation;
      return step;
    };
    const auto lock = [&](MessageStep::Kind kind, std::uint64_t ticks) {
      MessageStep step = end(kind, ticks, WorldRank(0));
      step.comm = Uid(8);
      step.tag = 1;
      step.exclusive = exclusive;
      return step;
    };
    std::vector<PhaseSteps> reported;
    std::size_t most = 0;
    // Rank 1's message has been taken when rank 0 releases its locks; rank 2 acquires them before
    // it sends.
    for (const int p : {0, 1, 2}) {
      MessageLog log{WorldRank(p)};
      if (p == 0) {
        log.step(end(MessageStep::Kind::Receive, 1, kAnySource));
        log.step(end(MessageStep::Kind::CompleteReceive, 1, kAnySource));
        log.took(1, 101);
      }
      if (p != 1)
        for (std::uint64_t i = 0; i < 5000; ++i) {
          log.step(lock(MessageStep::Kind::Unlock, 100 * i + (p == 0 ? 0 : 50)));
          log.step(lock(MessageStep::Kind::Locked, 100 * i + (p == 0 ? 10 : 60)));
        }
      if (p != 0) {
        MessageStep sent = end(MessageStep::Kind::Send, 2, WorldRank(0));
        sent.key = 100 + static_cast<MessageKey>(p);
        sent.site_key = sent.key;
        log.step(sent);
      } else {
        log.step(end(MessageStep::Kind::Receive, 3, kAnySource));
        log.step(end(MessageStep::Kind::CompleteReceive, 3, kAnySource));
        log.took(3, 102);
      }
      log.end_phase(1, {});
      for (PhaseSteps& steps : log.take(false)) {
        most = std::max<std::size_t>(most, steps.count);
        reported.push_back(std::move(steps));
      }
    }
    EXPECT_LT(most, 600u);
    SequencePair walk(3);
    EXPECT_TRUE(walk_phase(reported, 3, walk));
    EXPECT_EQ(walk.findings().races.size(), exclusive ? 0u : 1u);
  }
}

}  // namespace
}  // namespace photofinish::testing
