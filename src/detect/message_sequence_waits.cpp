// Who waits for whom in a message sequence: deadlocks, and which send or receive goes on without.
#include <algorithm>
#include <climits>

#include "base/check.h"
#include "detect/message_sequence.h"
#include "order/keys.h"

namespace photofinish {

// The rank that has to act before the message can be matched; kProcNull if none can.
WorldRank MessageSequence::holder(MessageKey key, int depth) {
  const Message* const found = messages_.find(key);
  if (found == nullptr || depth > 64) return kProcNull;
  const Message message = *found;
  const Operation* const send = message.send == 0 ? nullptr : operation(message.from, message.send);
  if (send == nullptr) return kProcNull;
  if (!send->posted) return message.from;
  const Operation* const receive =
      message.receive == 0 ? nullptr : operation(message.to, message.receive);
  if (receive != nullptr && !receive->posted) return message.to;
  const Inbox& inbox = inboxes_[send->inbox];
  if (const std::uint64_t open = first_open(inbox, message.from, send->tag);
      open != 0 && open != message.receive) {
    const Operation& earlier = *operation(message.to, open);
    if (receive == nullptr || earlier.order < receive->order)
      return earlier.key == 0 ? kProcNull : holder(earlier.key, depth + 1);
  }
  if (receive == nullptr) return kProcNull;
  if (const std::uint64_t unmatched = first_unmatched(inbox, message.from, receive->wanted());
      unmatched != 0 && unmatched != message.send)
    if (const Operation& earlier = *operation(message.from, unmatched); earlier.order < send->order)
      return holder(earlier.key, depth + 1);
  return kProcNull;
}

// If the rank waits for several ranks, returns one that is not in `sooner_not`, if possible.
WorldRank MessageSequence::waits_for(WorldRank who, const Ranks& sooner_not) {
  using Kind = MessageStep::Kind;
  const MessageStep& step = rank(who).queue.front();
  if (step.kind == Kind::Acquire) {
    if (step.from == nullptr) return kProcNull;
    const auto released = released_.find(step.key);
    WorldRank missing = kProcNull;
    for (const WorldRank one : *step.from) {
      if (released != released_.end() &&
          std::find(released->second.by.begin(), released->second.by.end(), one) !=
              released->second.by.end())
        continue;
      const auto index = static_cast<std::size_t>(one.value);
      if (one.value < 0 || index >= sooner_not.size() || !sooner_not[index]) return one;
      if (missing == kProcNull) missing = one;
    }
    return missing;
  }
  if (step.kind == Kind::Locked) {
    WorldRank first = kProcNull;
    each_before(who, step, [&](const Lock&, const Release& release) {
      if (!release.taken && first == kProcNull) first = release.rank;
    });
    return first;
  }
  if (step.kind == Kind::AwaitLock) {
    WorldRank holds = kProcNull;
    each_holder(who, step, [&](const Holder& one) {
      if (holds == kProcNull) holds = one.rank;
    });
    return holds;
  }
  if (step.kind == Kind::Probe) return holder(seen_by(who, step), 0);
  const Operation* const of = operation(who, step.operation);
  if (of == nullptr) return kProcNull;
  if (!step.returned && of->peer == kAnySource) return kAnySource;
  if (of->key == 0) return would_wait_for(who, *of);
  const WorldRank on = holder(of->key, 0);
  return on == kProcNull && !step.returned ? would_wait_for(who, *of) : on;
}

// In an interrupted run: the rank that has to act for an unmatched send or receive that will stay
// so; kProcNull if the other end is there.
WorldRank MessageSequence::would_wait_for(WorldRank who, const Operation& operation) {
  if (!operation.posted || operation.peer.value < 0) return kProcNull;
  const Inbox& inbox = inboxes_[operation.inbox];
  const bool is_there = operation.kind == MessageStep::Kind::Receive
                            ? first_unmatched(inbox, operation.peer, operation.wanted()) != 0
                            : first_open(inbox, who, operation.tag) != 0;
  return is_there ? kProcNull : operation.peer;
}

// Whether some posted send and receive are first for each other, although each was matched to
// another one.
bool MessageSequence::any_other_match() {
  bool any = false;
  for (const Inbox& inbox : inboxes_)
    each_first_send(inbox, [&](WorldRank from, std::uint64_t send) {
      const Operation& sent = *operation(from, send);
      const std::uint64_t open = first_open(inbox, from, sent.tag);
      if (open == 0 || open == messages_.find(sent.key)->receive) return false;
      const Operation& receive = *operation(inbox.rank, open);
      any = receive.key != 0 && first(inbox, from, send, receive.order, receive.wanted());
      return any;
    });
  return any;
}

// Matches a receive whose message was never reported with a send that no other receive took: a send
// that its rank waits for, any send, or only where the receive names the source, so that it takes
// this send in every execution of what was recorded.
bool MessageSequence::match_unknown(Among among) {
  MessageKey key = 0;
  for (const Inbox& inbox : inboxes_) {
    each_first_send(inbox, [&](WorldRank from, std::uint64_t send) {
      const Operation& sent = *operation(from, send);
      Message& message = *messages_.find(sent.key);
      if (message.receive != 0) return false;
      const StepQueue& sender = rank(from).queue;
      if (among == Among::WaitedSends &&
          (sender.empty() || sender.front().kind != MessageStep::Kind::CompleteSend ||
           sender.front().operation != send))
        return false;
      const std::uint64_t open = first_open(inbox, from, sent.tag);
      if (open == 0) return false;
      Operation& receive = *operation(inbox.rank, open);
      if (receive.key != 0 || !first(inbox, from, send, receive.order, receive.wanted()))
        return false;
      if (among == Among::CertainMatches && receive.peer == kAnySource) return false;
      receive.key = key = sent.key;
      message.receive = open;
      return true;
    });
    if (key == 0) continue;
    try_match(key);
    return true;
  }
  return false;
}

MessageStep MessageSequence::posted(const Operation& operation) const {
  MessageStep step;
  step.kind = operation.kind;
  step.mode = operation.mode;
  step.peer = operation.peer;
  step.tag = operation.tag;
  step.key = operation.key;
  step.comm = inboxes_[operation.inbox].comm;
  step.site = table_.call_site(operation.call_site).site;
  step.site_key = table_.call_site(operation.call_site).key;
  return step;
}

// Follows the wait-for edges from `from` to a cycle or to the end: a rank that waits for none, or
// one outside of this world, whose steps are unknown.
WaitChain MessageSequence::who_waits(WorldRank from, const Ranks& sooner_not) {
  std::vector<WorldRank> path;
  WorldRank at = from;
  while (at.value >= 0 && !rank(at).queue.empty() &&
         std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    at = waits_for(at, sooner_not);
  }
  const auto start = std::find(path.begin(), path.end(), at);
  WaitChain chain;
  chain.cycle = start != path.end();
  if (chain.cycle) path.erase(path.begin(), start);
  for (const WorldRank who : path) chain.waits.push_back(describe(who, sooner_not));
  return chain;
}

WaitChain::Waits MessageSequence::describe(WorldRank who, const Ranks& sooner_not) {
  const MessageStep& step = rank(who).queue.front();
  const Operation* const of = operation(who, step.operation);
  const bool completes = step.kind == MessageStep::Kind::CompleteSend ||
                         step.kind == MessageStep::Kind::CompleteReceive;
  return {who,
          step,
          completes && of != nullptr ? posted(*of) : MessageStep{},
          waits_for(who, sooner_not),
          {}};
}

// The ranks that may continue without buffering. These are ranks that poll or are uncertain, ranks
// that wait for one of them, and ranks whose receive or send could match another one. All others
// are deadlocked.
MessageSequence::Ranks MessageSequence::may_go_on(bool reported_all) {
  Ranks going(ranks_.size());
  bool anybody = false;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (going[i] ||
          !may_go_on(WorldRank(static_cast<std::int32_t>(i)), going, anybody, reported_all))
        continue;
      going[i] = more = anybody = true;
    }
  }
  return going;
}

bool MessageSequence::may_go_on(WorldRank who, const Ranks& others, bool anybody,
                                bool reported_all) {
  using Kind = MessageStep::Kind;
  const Rank& own = rank(who);
  if (own.unsure) return true;
  if (own.queue.empty()) return !reported_all;
  const MessageStep& step = own.queue.front();
  if (step.asked) return true;
  const auto goes = [&](WorldRank one) {
    return one == kAnySource ? anybody
                             : static_cast<std::size_t>(one.value) >= others.size() ||
                                   others[static_cast<std::size_t>(one.value)];
  };
  if (step.kind == Kind::Acquire) {
    const auto released = released_.find(step.key);
    return step.from != nullptr &&
           std::all_of(step.from->begin(), step.from->end(), [&](WorldRank one) {
             return (released != released_.end() &&
                     std::find(released->second.by.begin(), released->second.by.end(), one) !=
                         released->second.by.end()) ||
                    goes(one);
           });
  }
  const Operation* const of = operation(who, step.operation);
  if (step.kind != Kind::Probe && of == nullptr) return false;
  const bool probes = step.kind == Kind::Probe;
  const Wanted waited = probes ? wanted_by(step) : of->wanted();
  if (goes(waited.source)) return true;
  if (!probes && of->kind == Kind::Send) return first_open(inboxes_[of->inbox], who, of->tag) != 0;
  if (!reported_all && (probes ? seen_by(who, step) : of->key) == 0)
    return true;  // the match has not been reported yet
  const Inbox& inbox = inboxes_[probes ? inbox_of(who, step.comm) : of->inbox];
  return std::any_of(inbox.unmatched.begin(), inbox.unmatched.end(), [&](const auto& one) {
    return waited.takes(one.first.second, one.first.first);
  });
}

// Reports a deadlock, and completes one send so that the simulation continues.
bool MessageSequence::find_deadlock(WorldRank from, bool only_cycles, const Ranks& going) {
  if (rank(from).queue.empty() || going[static_cast<std::size_t>(from.value)]) return false;
  WaitChain chain = who_waits(from, going);
  return (chain.cycle || !only_cycles) && let_send_go(std::move(chain), true);
}

bool MessageSequence::let_send_go(WaitChain chain, bool reported) {
  const auto lets_go =
      std::find_if(chain.waits.begin(), chain.waits.end(), [](const WaitChain::Waits& waits) {
        return waits.step.kind == MessageStep::Kind::CompleteSend &&
               waits.posted.mode != SendMode::Synchronous;
      });
  if (lets_go == chain.waits.end()) return false;
  const WorldRank let_go = lets_go->rank;
  operation(let_go, lets_go->step.operation)->let_go = true;
  wake(let_go);
  if (!reported) {
    not_sure(rank(let_go));
    unsure_ |= !chain.other_match;
    if (!chain.other_match) return true;
  }
  chain.phase = phase_;
  std::vector<std::uint64_t> sites{chain.cycle, chain.other_match};
  for (const WaitChain::Waits& waits : chain.waits) sites.push_back(waits.step.site_key);
  std::sort(sites.begin() + 2, sites.end());
  const auto [known, added] = deadlocks_.try_emplace(std::move(sites), std::move(chain));
  if (!added) ++known->second.count;
  return true;
}

void MessageSequence::not_sure(Rank& rank) {
  rank.unsure = true;
  unsure_after_ = std::min(unsure_after_, phase_);
}

// Without buffering, a polling call that found something would have found nothing. The rank
// continues after it and is uncertain from there.
bool MessageSequence::let_asked_go(WorldRank from, bool only_cycles) {
  if (rank(from).queue.empty()) return false;
  const WaitChain waiting = who_waits(from);
  if (only_cycles && !waiting.cycle) return false;
  // Not AwaitLock: its `asked` has another meaning, and completing it changes nothing.
  const auto asks =
      std::find_if(waiting.waits.begin(), waiting.waits.end(), [](const WaitChain::Waits& waits) {
        return waits.step.asked && waits.step.kind != MessageStep::Kind::AwaitLock;
      });
  if (asks == waiting.waits.end()) return false;
  answers_.note(asks->rank, asks->step.site, asks->step.site_key);
  rank(asks->rank).let_go = true;
  not_sure(rank(asks->rank));
  wake(asks->rank);
  return true;
}

// The cause is not a missing buffer. If a receive could match another message, the chain is
// reported as `other_match`.
bool MessageSequence::let_unsure_go(WorldRank from, bool only_cycles) {
  if (rank(from).queue.empty()) return false;
  WaitChain chain = who_waits(from);
  if (only_cycles && !chain.cycle) return false;
  const bool known_so_far =
      std::none_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.unsure; });
  chain.other_match = known_so_far && any_other_match();
  return let_send_go(std::move(chain), false);
}

// Visits the other ranks whose open epoch conflicts with the requested lock.
template <class Visit>
void MessageSequence::each_holder(WorldRank who, const MessageStep& awaits, Visit visit) {
  const auto window = holders_.find(awaits.comm);
  if (window == holders_.end()) return;
  for (const Holder& holder : window->second) {
    const bool same_target =
        awaits.peer == kAnySource || holder.target == kAnySource || holder.target == awaits.peer;
    // If the call may be waiting for something else, only certain holders count.
    if (holder.rank != who && same_target && (holder.exclusive || awaits.exclusive) &&
        (holder.certain || !awaits.asked))
      visit(holder);
  }
}

// Whether the call that the rank is inside of may still return, given the ranks that may continue.
bool MessageSequence::may_return(WorldRank who, const Ranks& going, bool anybody) {
  using Kind = MessageStep::Kind;
  const MessageStep& step = rank(who).queue.front();
  const auto goes = [&](WorldRank one) {
    const auto index = static_cast<std::size_t>(one.value);
    return one.value < 0 || index >= going.size() || going[index];
  };
  if (step.kind == Kind::Acquire) {
    const auto released = released_.find(step.key);
    return step.from == nullptr ||
           std::all_of(step.from->begin(), step.from->end(), [&](WorldRank one) {
             return (released != released_.end() &&
                     std::find(released->second.by.begin(), released->second.by.end(), one) !=
                         released->second.by.end()) ||
                    goes(one);
           });
  }
  if (step.kind == Kind::AwaitLock) {
    bool held = false, given_back = false;
    each_holder(who, step, [&](const Holder& holder) {
      held = true;
      // The target may have to make progress for its lock, too.
      const WorldRank target = holder.target == kAnySource ? step.peer : holder.target;
      given_back |= goes(holder.rank) || (target != who && target.value >= 0 && goes(target));
    });
    return !held || given_back;
  }
  const Operation* const of = operation(who, step.operation);
  if (of == nullptr || !of->posted || of->matched || of->cancelled) return true;
  const Inbox& inbox = inboxes_[of->inbox];
  if (step.kind == Kind::CompleteSend) {
    return goes(of->peer) || first_open(inbox, who, of->tag) != 0;
  }
  if (step.kind != Kind::CompleteReceive) return true;
  if (std::any_of(inbox.unmatched.begin(), inbox.unmatched.end(), [&](const auto& one) {
        return of->wanted().takes(one.first.second, one.first.first);
      }))
    return true;
  return of->peer == kAnySource ? anybody : goes(of->peer);
}

std::vector<WaitChain> MessageSequence::proven_deadlocks(const std::vector<RankEnding>& endings) {
  using State = RankEnding::State;
  constexpr std::size_t kMost = 8;  // chains to a finished rank that are reported separately
  // A call that waits for several requests did not report those that are complete.
  while (match_unknown(Among::CertainMatches)) run();
  Ranks going(ranks_.size(), true);
  bool any_waits = false;
  for (std::size_t i = 0; i < std::min(ranks_.size(), endings.size()); ++i) {
    const StepQueue& queue = ranks_[i].queue;
    const bool waits =
        endings[i].state == State::InCall && !queue.empty() && !queue.front().returned;
    going[i] = !waits && !(endings[i].state == State::Finished && queue.empty());
    any_waits |= waits;
  }
  if (!any_waits) return {};
  for (bool more = true; more;) {
    more = false;
    const bool anybody = std::find(going.begin(), going.end(), true) != going.end();
    for (std::size_t i = 0; i < ranks_.size(); ++i)
      if (!going[i] && !ranks_[i].queue.empty() &&
          may_return(WorldRank(static_cast<std::int32_t>(i)), going, anybody))
        going[i] = more = true;
  }
  // The ranks not in `going` are inside a call that cannot return, or have finished.
  const auto is_stuck = [&](WorldRank who) {
    return !going[static_cast<std::size_t>(who.value)] && !rank(who).queue.empty();
  };
  // Key: the lowest rank of a cycle, or the finished rank, or any.
  std::map<WorldRank, WaitChain> by_end;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const WorldRank who(static_cast<std::int32_t>(i));
    if (!is_stuck(who)) continue;
    std::vector<WorldRank> path;
    WorldRank at = who;
    while (at.value >= 0 && is_stuck(at) && std::find(path.begin(), path.end(), at) == path.end()) {
      path.push_back(at);
      at = waits_for(at, going);
    }
    const auto start = std::find(path.begin(), path.end(), at);
    const bool cycle = start != path.end();
    const WorldRank end = cycle ? *std::min_element(start, path.end()) : at;
    WaitChain& chain = by_end[end];
    chain.cycle |= cycle;
    if (cycle && chain.waits.empty()) {
      std::rotate(start, std::find(start, path.end(), end), path.end());
      for (auto one = start; one != path.end(); ++one) chain.waits.push_back(describe(*one, going));
    } else if (!cycle && path.size() == 1 && chain.waits.size() < kMost) {
      chain.waits.push_back(describe(who, going));
      if (end.value >= 0)
        chain.waits.back().finalize = endings[static_cast<std::size_t>(end.value)].finalize;
    }
    chain.behind.insert(who);
  }
  std::vector<WaitChain> all;
  for (auto& [end, chain] : by_end) {
    for (const WaitChain::Waits& waits : chain.waits) chain.behind.erase(waits.rank);
    all.push_back(std::move(chain));
  }
  return all;
}

}  // namespace photofinish
