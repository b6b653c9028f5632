#include "steps.h"

#include <algorithm>

namespace photofinish::testing {
namespace {

// A send after a cancelled one, to the same process with the same tag, takes its number.
MessageKey key_of(const Execution& execution, Ref send) {
  for (int e = send.event - 1; e >= 0; --e) {
    const Ref earlier{send.process, e};
    const Call &call = execution.call(send), &before = execution.call(earlier);
    if (before.kind != Kind::Send || before.peer != call.peer || before.tag != call.tag ||
        before.comm != call.comm)
      continue;
    if (execution.is_cancelled(earlier)) return key_of(execution, earlier);
    break;
  }
  return static_cast<MessageKey>(send.process + 1) << 32 | static_cast<MessageKey>(send.event + 1);
}

}  // namespace

std::vector<MessageStep> steps_of(const Execution& execution, int process, const SiteOf& site_of) {
  using StepKind = MessageStep::Kind;
  std::vector<MessageStep> steps;
  const auto& calls = execution.processes[static_cast<std::size_t>(process)];
  for (int e = 0; e < static_cast<int>(calls.size()); ++e) {
    const Ref ref{process, e};
    const Call& call = execution.call(ref);
    const bool returned = e + 1 < static_cast<int>(calls.size());
    MessageStep step;
    step.site_key = site_of(ref);
    step.timestamp = static_cast<Timestamp>(2 * e);
    step.operation = static_cast<std::uint64_t>((call.of >= 0 ? call.of : e) + 1);
    step.comm = Uid(static_cast<std::uint64_t>(call.comm) + 7);
    step.peer = call.peer < 0 ? kAnySource : WorldRank(call.peer);
    step.tag = call.tag < 0 ? kAnyTag : call.tag;
    step.mode = call.mode;
    step.asked = call.asked;
    const Link* const link = execution.link_of(ref);
    switch (call.kind) {
      case Kind::Send:
        step.kind = StepKind::Send;
        step.key = key_of(execution, ref);
        break;
      case Kind::Receive:
        step.kind = StepKind::Receive;
        if (link != nullptr && link->send) step.key = key_of(execution, *link->send);
        break;
      case Kind::Probe:
        step.kind = StepKind::Probe;
        if (link == nullptr) continue;
        step.key = key_of(execution, *link->send);
        break;
      case Kind::Cancel: {
        const Link* const cancelled = execution.link_of({process, call.of});
        if (cancelled == nullptr || cancelled->kind != LinkKind::Cancelled ||
            cancelled->cancel != ref)
          continue;
        step.kind = StepKind::Cancel;
        step.carries = execution.call(cancelled->receive).kind != Kind::Send;
        break;
      }
      case Kind::WaitSend:
      case Kind::WaitReceive:
        if (!returned || execution.is_cancelled({process, call.of})) {
          if (!returned || call.kind == Kind::WaitSend) continue;
        }
        step.kind =
            call.kind == Kind::WaitSend ? StepKind::CompleteSend : StepKind::CompleteReceive;
        break;
      case Kind::Release:
      case Kind::Acquire: {
        step.key = static_cast<MessageKey>(call.key);
        auto from = std::make_shared<std::vector<WorldRank>>();
        for (int p = 0; p < execution.size(); ++p)
          for (const Call& other : execution.processes[static_cast<std::size_t>(p)]) {
            if (other.key != call.key) continue;
            if (other.kind == Kind::Release) from->push_back(WorldRank(p));
            if (other.kind == Kind::Acquire) ++step.others;
          }
        step.kind = call.kind == Kind::Release ? StepKind::Release : StepKind::Acquire;
        step.from = std::move(from);
        if (call.kind == Kind::Acquire && !returned) continue;
        break;
      }
      case Kind::Lock:
      case Kind::Unlock:
        if (call.kind == Kind::Lock && !returned) continue;
        step.kind = call.kind == Kind::Lock ? StepKind::Locked : StepKind::Unlock;
        step.comm = Uid(100);
        step.peer = WorldRank(call.key);
        step.exclusive = call.exclusive;
        step.tag = 1;
        step.operation = static_cast<std::uint64_t>(
            call.kind == Kind::Lock
                ? execution.linked_at[static_cast<std::size_t>(link - execution.links.data())]
                : execution
                      .begun_at[static_cast<std::size_t>(process)][static_cast<std::size_t>(e)]);
        break;
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

bool any_cancelled_send(const Execution& execution) {
  return std::any_of(execution.links.begin(), execution.links.end(), [&](const Link& link) {
    return execution.call(link.receive).kind == Kind::Send;
  });
}

void report(const Execution& execution, const SiteOf& site_of,
            const std::function<std::uint32_t()>& random, MessageSequence& sequence,
            bool announces) {
  std::vector<std::vector<MessageStep>> steps;
  for (int p = 0; p < execution.size(); ++p) steps.push_back(steps_of(execution, p, site_of));
  for (std::size_t p = 0; p < steps.size(); ++p)
    for (const MessageStep& step : steps[p])
      if (step.kind == MessageStep::Kind::Unlock && announces)
        sequence.announce(WorldRank(static_cast<std::int32_t>(p)), step);
  std::vector<std::size_t> next(steps.size());
  struct Later {
    WorldRank rank;
    std::uint64_t operation;
    MessageKey key;
  };
  std::vector<Later> later;
  for (;;) {
    std::vector<std::size_t> left;
    for (std::size_t p = 0; p < steps.size(); ++p)
      if (next[p] < steps[p].size()) left.push_back(p);
    if (left.empty() && later.empty()) return;
    const std::size_t choice = random() % (left.size() + later.size());
    if (choice >= left.size()) {
      const Later reported = later[choice - left.size()];
      later.erase(later.begin() + static_cast<std::ptrdiff_t>(choice - left.size()));
      sequence.took(reported.rank, reported.operation, reported.key);
      continue;
    }
    const std::size_t process = left[choice];
    const auto rank = WorldRank(static_cast<std::int32_t>(process));
    for (std::uint32_t burst = random() % 4 + 1; burst > 0 && next[process] < steps[process].size();
         --burst) {
      MessageStep step = steps[process][next[process]++];
      if (step.kind == MessageStep::Kind::Receive && step.key != 0 && random() % 2 == 0) {
        later.push_back({rank, step.operation, step.key});
        step.key = 0;
      }
      sequence.add(rank, step);
    }
  }
}

namespace {

// A receive and a send that are posted and linked to nothing else: they have matched, but the match
// was not reported.
std::vector<Link> met_unknown(const Execution& execution, const State& state) {
  std::vector<Link> met;
  for (int p = 0; p < execution.size(); ++p)
    for (int e = 0; e < static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size());
         ++e) {
      const Ref receive{p, e};
      if (execution.call(receive).kind != Kind::Receive || execution.link_of(receive) != nullptr)
        continue;
      for (int q = 0; q < execution.size(); ++q)
        for (int s = 0;
             s < static_cast<int>(execution.processes[static_cast<std::size_t>(q)].size()); ++s)
          if (const Ref send{q, s}; execution.call(send).kind == Kind::Send &&
                                    execution.taken(send) == nullptr &&
                                    state.may_meet(send, receive))
            met.push_back({LinkKind::Match, send, receive, {}});
    }
  return met;
}

}  // namespace

namespace {

// Runs until nothing can happen, with standard sends that wait: the order does not matter.
template <class Judge>
std::optional<bool> go_unbuffered(Execution execution, Judge judge) {
  State state(execution);
  for (bool moved = true; moved;) {
    moved = false;
    for (int p = 0; p < execution.size(); ++p)
      while (state.can_begin(p, true)) {
        state.begin(p);
        moved = true;
      }
    for (std::size_t i = 0; i < execution.links.size(); ++i)
      if (state.can_link(i)) {
        state.link(i);
        moved = true;
      }
    if (moved) continue;
    const std::vector<Link> met = met_unknown(execution, state);
    if (met.size() > 1) return std::nullopt;
    if (!met.empty()) {
      execution.links.push_back(met.front());
      return go_unbuffered(std::move(execution), judge);
    }
  }
  return judge(execution, state);
}

// Whether the process could leave its current call if the processes of `free` made any helpful
// step.
bool could_go_on(const Execution& execution, const State& state, int process,
                 const std::set<int>& free) {
  const Ref at = state.at(process);
  const Call& call = execution.call(at);
  if (call.asked) return true;
  const auto helps = [&](int peer) { return peer < 0 ? !free.empty() : free.contains(peer); };
  const auto any_event = [&](auto is_it) {
    for (int p = 0; p < execution.size(); ++p)
      for (int e = 0; state.begun({p, e}) &&
                      e < static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size());
           ++e)
        if (is_it(Ref{p, e})) return true;
    return false;
  };
  const auto open_send = [&](Ref to) {
    return any_event([&](Ref send) { return execution.fits(send, to) && !state.taken(send); });
  };
  switch (call.kind) {
    case Kind::WaitSend: {
      const Ref send{process, call.of};
      return helps(execution.call(send).peer) || any_event([&](Ref receive) {
               return execution.call(receive).kind == Kind::Receive &&
                      execution.fits(send, receive) && !state.closed(receive);
             });
    }
    case Kind::WaitReceive:
      return helps(execution.call({process, call.of}).peer) || open_send({process, call.of});
    case Kind::Probe:
      return helps(call.peer) || open_send(at);
    case Kind::Acquire:
      for (int p = 0; p < execution.size(); ++p)
        for (int e = 0;
             e < static_cast<int>(execution.processes[static_cast<std::size_t>(p)].size()); ++e)
          if (const Call& released = execution.call({p, e});
              released.kind == Kind::Release && released.key == call.key && !state.begun({p, e}) &&
              !free.contains(p))
            return false;
      return true;
    default:
      return true;
  }
}

}  // namespace

std::optional<bool> ends_unbuffered(Execution execution) {
  return go_unbuffered(std::move(execution), [](const Execution& end, const State& state) {
    for (int p = 0; p < end.size(); ++p)
      if (!state.at_end(p)) return false;
    return true;
  });
}

std::optional<bool> surely_stuck_unbuffered(Execution execution) {
  return go_unbuffered(std::move(execution), [](const Execution& end, const State& state) {
    std::set<int> stuck, free;
    for (int p = 0; p < end.size(); ++p)
      if (!state.at_end(p)) stuck.insert(p);
    for (bool more = true; more;) {
      more = false;
      for (const int p : stuck)
        if (!free.contains(p) && could_go_on(end, state, p, free)) more = free.insert(p).second;
    }
    return free.size() < stuck.size();
  });
}

}  // namespace photofinish::testing
