#include "detect/message_sequence.h"

#include <algorithm>

#include "base/check.h"
#include "order/keys.h"

namespace photofinish {
namespace {

Wanted wanted_by(const MessageStep& step) { return {step.peer, step.tag}; }

MessageEnd end_of(WorldRank rank, const MessageStep& step) {
  return {rank, step.moment, step.site, step.site_key, step.tag};
}

}  // namespace

MessageSequence::MessageSequence(std::int32_t ranks, Sends sends, MessageRaces* races)
    : sends_(sends), races_(races), ranks_(static_cast<std::size_t>(ranks)) {}

MessageSequence::Operation* MessageSequence::operation(WorldRank who, std::uint64_t id) {
  const auto found = rank(who).operations.find(id);
  return found == rank(who).operations.end() ? nullptr : &found->second;
}

std::uint32_t MessageSequence::inbox_of(WorldRank who, Uid comm) {
  const auto [found, added] =
      inbox_index_.try_emplace({who, comm}, static_cast<std::uint32_t>(inboxes_.size()));
  if (added) inboxes_.emplace_back();
  return found->second;
}

void MessageSequence::add(WorldRank who, MessageStep step) {
  using Kind = MessageStep::Kind;
  if (step.kind == Kind::Send || step.kind == Kind::Receive ||
      (step.kind == Kind::Probe && step.key == 0)) {
    Operation& added = rank(who).operations[step.operation];
    added = {};
    added.nowhere = step.kind == Kind::Send && rank(who).taken_over.contains(step.key);
    added.step = step;
    added.rank = who;
    if (step.key != 0 && !added.nowhere) {
      Message& message = messages_[step.key];
      if (step.kind == Kind::Send) {
        message.from = who;
        message.send = step.operation;
        message.to = step.peer;
      } else {
        message.receive = step.operation;
        message.to = who;
      }
    }
  }
  if (step.kind == Kind::Cancel)
    if (Operation* const send = operation(who, step.operation);
        send != nullptr && send->step.kind == Kind::Send)
      rename_cancelled(who, *send);
  Rank& own = rank(who);
  own.queue.push_back(std::move(step));
  if (own.queue.size() == 1) {
    wake(who);
    run();
  }
  if (sends_ == Sends::Unbuffered && own.queue.size() >= own.look) [[unlikely]] {
    own.look = look_early(who) ? 256 : 2 * own.queue.size();
    run();
  }
}

void MessageSequence::took(WorldRank who, std::uint64_t id, MessageKey key) {
  Operation* const receive = operation(who, id);
  if (receive == nullptr) return;
  receive->step.key = key;
  if (receive->step.kind == MessageStep::Kind::Probe) {
    wake(who);
    return run();
  }
  Message& message = messages_[key];
  message.receive = id;
  message.to = who;
  if (receive->posted) try_match(key);
  run();
}

void MessageSequence::wake(WorldRank who) {
  if (rank(who).woken) return;
  rank(who).woken = true;
  woken_.push_back(who);
}

void MessageSequence::run() {
  if (running_) return;
  running_ = true;
  while (!woken_.empty()) {
    const WorldRank who = woken_.back();
    woken_.pop_back();
    Rank& own = rank(who);
    own.woken = false;
    while (!own.queue.empty() && take(who, own.queue.front())) {
      own.queue.pop_front();
      own.let_go = false;
    }
  }
  running_ = false;
}

bool MessageSequence::take(WorldRank who, MessageStep& step) {
  using Kind = MessageStep::Kind;
  switch (step.kind) {
    case Kind::Send:
      post_send(who, step);
      return true;
    case Kind::Receive:
      post_receive(who, step);
      return true;
    case Kind::Probe:
      return probe(who, step);
    case Kind::Hear:
      return hear(who, step);
    case Kind::Unlock:
      unlock(who);
      return true;
    case Kind::Locked:
      return lock(who, step);
    case Kind::Say: {
      Said& said = said_[step.key];
      said.by.push_back(who);
      said.others = step.others;
      said.unsure |= rank(who).unsure;
      if (races_ != nullptr && step.carries) races_->say(who, step.key);
      if (said.by.size() >= said.needed)
        for (const WorldRank waiting : std::exchange(said.waiting, {})) wake(waiting);
      return true;
    }
    case Kind::Cancel: {
      Operation* const receive = operation(who, step.operation);
      if (receive != nullptr && receive->step.kind == Kind::Send) {
        cancel_send(who, *receive);
        return true;
      }
      if (receive == nullptr || !receive->posted || receive->matched || receive->cancelled)
        return true;
      receive->cancelled = true;
      std::erase(inboxes_[receive->inbox].open, step.operation);
      if (races_ != nullptr) races_->cancel(receive->receive);
      gone(receive->inbox);
      return true;
    }
    case Kind::CompleteReceive: {
      Operation* const receive = operation(who, step.operation);
      if (receive == nullptr) return true;
      if (!receive->matched && !receive->cancelled) {
        receive->freed = rank(who).let_go;
        return receive->freed;
      }
      rank(who).unsure |= receive->met_unsure;
      if (races_ != nullptr) races_->complete(receive->receive);
      rank(who).operations.erase(step.operation);
      return true;
    }
    case Kind::CompleteSend:
    case Kind::Free: {
      Operation* const send = operation(who, step.operation);
      if (send == nullptr) return true;
      const SendMode mode = send->step.mode;
      if (step.kind == Kind::CompleteSend) {
        const bool may_wait =
            !step.returned || (sends_ == Sends::Unbuffered && mode != SendMode::Buffered);
        const bool waits = mode == SendMode::Synchronous || (may_wait && !send->let_go);
        if (waits && !send->matched && !rank(who).let_go) return false;
        if (waits && send->matched) rank(who).unsure |= send->met_unsure;
        if (races_ != nullptr && mode == SendMode::Synchronous && !send->nowhere)
          races_->complete(send->send);
      } else if (races_ != nullptr && !send->nowhere &&
                 (mode == SendMode::Synchronous || !send->matched)) {
        races_->free(send->send);
      }
      send->freed = true;
      if (send->nowhere) rank(who).taken_over.erase(send->step.key);
      drop_if_over(who, step.operation);
      return true;
    }
  }
  return true;
}

// Those that are neither matched nor completed are still needed.
void MessageSequence::drop_if_over(WorldRank who, std::uint64_t id) {
  const Operation* const over = operation(who, id);
  if (over != nullptr && over->freed && over->matched) rank(who).operations.erase(id);
}

void MessageSequence::post_send(WorldRank who, MessageStep& step) {
  CHECK(step.peer.value >= 0 && static_cast<std::size_t>(step.peer.value) < ranks_.size() &&
        step.key != 0 && step.operation != 0);
  Operation& send = *operation(who, step.operation);
  send.posted = true;
  send.unsure = rank(who).unsure;
  step.key = send.step.key;
  if (send.nowhere) {
    send.matched = true;
    return;
  }
  send.inbox = inbox_of(step.peer, step.comm);
  inboxes_[send.inbox].unmatched[who].push_back(step.key);
  if (races_ != nullptr)
    send.send = races_->send(end_of(who, step), step.comm, step.peer, step.mode);
  wake(step.peer);  // it may be looking for it
  try_match(step.key);
}

// The rank's next message there is known by its name, and may be matched before the cancellation
// comes up here. If this one has been already, that one is as good.
void MessageSequence::rename_cancelled(WorldRank who, Operation& send) {
  const MessageKey key = send.step.key;
  if (send.nowhere) return;  // and so is the next one
  if (send.matched) {
    rank(who).taken_over.insert(key);
    return;
  }
  const MessageKey own =
      signal_key(Channel::Message, static_cast<std::uint32_t>(who.value), send.step.operation);
  Message cancelled = messages_.at(key);
  if (cancelled.receive == 0)
    messages_.erase(key);
  else
    messages_.at(key).send = 0;
  cancelled.receive = 0;
  messages_[own] = cancelled;
  send.step.key = own;
  if (!send.posted) return;
  std::vector<MessageKey>& unmatched = inboxes_[send.inbox].unmatched.at(who);
  std::replace(unmatched.begin(), unmatched.end(), key, own);
}

void MessageSequence::cancel_send(WorldRank who, Operation& send) {
  const std::uint64_t id = send.step.operation;
  if (send.matched) {
    if (races_ != nullptr && send.step.mode == SendMode::Synchronous && !send.nowhere)
      races_->free(send.send);
    rank(who).operations.erase(id);
    return;
  }
  const std::uint32_t inbox = send.inbox;
  std::erase(inboxes_[inbox].unmatched.at(who), send.step.key);
  messages_.erase(send.step.key);
  if (races_ != nullptr) races_->cancel(send.send);
  wake(send.step.peer);
  rank(who).operations.erase(id);
  gone(inbox);
}

void MessageSequence::post_receive(WorldRank who, MessageStep& step) {
  Operation& receive = *operation(who, step.operation);
  receive.posted = true;
  receive.unsure = rank(who).unsure;
  receive.inbox = inbox_of(who, step.comm);
  inboxes_[receive.inbox].open.push_back(step.operation);
  if (races_ != nullptr)
    receive.receive = races_->receive(end_of(who, step), step.comm, wanted_by(step));
  if (receive.step.key != 0) try_match(receive.step.key);
}

// Whether no receive posted before `before` would take the message, and no message before it would
// be taken.
bool MessageSequence::first(const Inbox& inbox, WorldRank from, std::int64_t tag, MessageKey key,
                            WorldRank to, std::uint64_t before, const Wanted& wanted) {
  for (const std::uint64_t id : inbox.open) {
    if (id == before) break;
    if (wanted_by(operation(to, id)->step).takes(from, tag)) return false;
  }
  const auto sends = inbox.unmatched.find(from);
  if (sends == inbox.unmatched.end()) return false;
  for (const MessageKey earlier : sends->second) {
    if (earlier == key) return true;
    if (wanted.takes(from, operation(from, messages_.at(earlier).send)->step.tag)) return false;
  }
  return false;
}

void MessageSequence::try_match(MessageKey key) {
  const auto found = messages_.find(key);
  if (found == messages_.end()) return;
  const Message message = found->second;
  if (message.send == 0 || message.receive == 0) return;
  Operation* const send = operation(message.from, message.send);
  Operation* const receive = operation(message.to, message.receive);
  if (send == nullptr || receive == nullptr || !send->posted || !receive->posted) return;
  Inbox& inbox = inboxes_[send->inbox];
  if (!first(inbox, message.from, send->step.tag, key, message.to, message.receive,
             wanted_by(receive->step))) {
    if (std::find(inbox.held.begin(), inbox.held.end(), key) == inbox.held.end())
      inbox.held.push_back(key);
    return;
  }
  send->matched = receive->matched = true;
  send->met_unsure = receive->unsure;
  receive->met_unsure = send->unsure;
  const std::uint32_t index = receive->inbox;
  std::erase(inbox.open, message.receive);
  const auto sends = inbox.unmatched.find(message.from);
  std::erase(sends->second, key);
  if (races_ != nullptr) races_->match(send->send, receive->receive);
  messages_.erase(found);
  drop_if_over(message.from, message.send);
  drop_if_over(message.to, message.receive);
  wake(message.from);
  wake(message.to);
  gone(index);
}

// A receive or send is out of the way: others may be the first now.
void MessageSequence::gone(std::uint32_t index) {
  if (inboxes_[index].held.empty()) return;
  for (const MessageKey key : std::exchange(inboxes_[index].held, {})) try_match(key);
}

MessageKey MessageSequence::seen_by(WorldRank who, const MessageStep& probe) {
  if (probe.key != 0) return probe.key;
  const Operation* const of = operation(who, probe.operation);
  return of == nullptr ? 0 : of->step.key;
}

bool MessageSequence::probe(WorldRank who, const MessageStep& step) {
  const MessageKey key = seen_by(who, step);
  if (rank(who).let_go) {
    if (step.key == 0) rank(who).operations.erase(step.operation);
    return true;
  }
  const auto found = messages_.find(key);
  if (found == messages_.end()) return false;
  Operation* const send =
      found->second.send == 0 ? nullptr : operation(found->second.from, found->second.send);
  if (send == nullptr || !send->posted) return false;
  const Wanted wanted = wanted_by(step);
  if (!first(inboxes_[send->inbox], found->second.from, send->step.tag, key, who, 0, wanted))
    return false;
  rank(who).unsure |= send->unsure;
  if (races_ != nullptr) races_->probe(end_of(who, step), step.comm, wanted, send->send);
  if (step.key == 0) rank(who).operations.erase(step.operation);
  return true;
}

bool MessageSequence::hear(WorldRank who, const MessageStep& step) {
  if (rank(who).let_go) return true;
  Said& said = said_[step.key];
  const std::size_t needed = step.from == nullptr ? 1 : step.from->size();
  if (said.by.size() < needed) {
    said.waiting.push_back(who);
    said.needed = std::min(said.needed, needed);
    return false;
  }
  rank(who).unsure |= said.unsure;
  if (races_ != nullptr && step.carries) races_->hear(who, step.key);
  if (++said.heard >= said.others) {
    said_.erase(step.key);
    if (races_ != nullptr) races_->forget(step.key);
  }
  return true;
}

// --- locks of windows: in the order in which they were held

void MessageSequence::announce(WorldRank who, const MessageStep& step) {
  Lock& lock = locks_[step.comm][step.peer];
  const std::uint64_t key = signal_key(Channel::Lock, step.comm.value, ++unlocks_);
  const auto later = std::find_if(lock.releases.rbegin(), lock.releases.rend(),
                                  [&](const Release& one) { return one.ticks <= step.operation; });
  lock.releases.insert(later.base(), {who, step.exclusive, false, step.tag, step.operation, key});
  rank(who).unlocks.emplace_back(&lock, key);
}

void MessageSequence::unlock(WorldRank who) {
  if (rank(who).unlocks.empty()) return;  // without buffers, or nobody asked
  const auto [lock, key] = rank(who).unlocks.front();
  rank(who).unlocks.pop_front();
  const auto release = std::find_if(lock->releases.begin(), lock->releases.end(),
                                    [key = key](const Release& one) { return one.key == key; });
  CHECK(release != lock->releases.end());
  release->taken = true;
  if (races_ != nullptr) races_->say(who, key);
  for (const WorldRank waiting : std::exchange(lock->waiting, {})) wake(waiting);
  // Who held it long ago is not told apart any more.
  constexpr std::size_t kApart = 64;
  for (std::size_t oldest = 0;
       lock->releases.size() > kApart && oldest < 2 && lock->releases[oldest].taken;) {
    const Release& first = lock->releases[oldest];
    const auto next = std::find_if(
        lock->releases.begin() + static_cast<std::ptrdiff_t>(oldest) + 1, lock->releases.end(),
        [&](const Release& one) { return one.exclusive == first.exclusive; });
    if (next == lock->releases.end() || !next->taken) {
      ++oldest;  // there may be some of the other kind
      continue;
    }
    if (races_ != nullptr) races_->fold(first.key, next->key);
    if (next->rank != first.rank) next->rank = kProcNull;
    lock->releases.erase(lock->releases.begin() + static_cast<std::ptrdiff_t>(oldest));
  }
}

// Ticks of one clock tell who was first. Those of different clocks do not: what has been told so
// far is before it, then.
template <class Visit>
void MessageSequence::each_before(WorldRank who, const MessageStep& locked, Visit visit) {
  const auto window = locks_.find(locked.comm);
  if (window == locks_.end()) return;
  for (auto& [target, lock] : window->second) {
    if (locked.peer != kAnySource && target != kAnySource && target != locked.peer) continue;
    for (const Release& release : lock.releases) {
      if (release.rank == who || !(release.exclusive || locked.exclusive)) continue;
      if (release.clock == locked.tag && release.clock != 0 ? release.ticks < locked.operation
                                                            : release.taken)
        visit(lock, release);
    }
  }
}

bool MessageSequence::lock(WorldRank who, const MessageStep& step) {
  bool waits = false;
  each_before(who, step, [&](Lock& lock, const Release& release) {
    if (release.taken) return;
    if (lock.waiting.empty() || lock.waiting.back() != who) lock.waiting.push_back(who);
    waits = true;
  });
  if (waits && !rank(who).goes_past_lock) return false;
  rank(who).goes_past_lock = false;
  if (races_ != nullptr)
    each_before(who, step, [&](Lock&, const Release& release) { races_->hear(who, release.key); });
  return true;
}

// Times on record are rounded: who waits for a lock and gets no further had it just before the
// other.
void MessageSequence::go_past_locks() {
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < ranks_.size() && !moved; ++i) {
      if (ranks_[i].queue.empty() || ranks_[i].queue.front().kind != MessageStep::Kind::Locked)
        continue;
      ranks_[i].goes_past_lock = moved = true;
      wake(WorldRank(static_cast<std::int32_t>(i)));
    }
    run();
  }
}

// --- who waits for whom

// Whoever has to act before the message can be matched; kProcNull if nobody will.
WorldRank MessageSequence::holder(MessageKey key, int depth) {
  const auto found = messages_.find(key);
  if (found == messages_.end() || depth > 64) return kProcNull;
  const Message& message = found->second;
  const Operation* const send = message.send == 0 ? nullptr : operation(message.from, message.send);
  if (send == nullptr) return kProcNull;
  if (!send->posted) return message.from;
  const Operation* const receive =
      message.receive == 0 ? nullptr : operation(message.to, message.receive);
  if (receive != nullptr && !receive->posted) return message.to;
  const Inbox& inbox = inboxes_[send->inbox];
  for (const std::uint64_t id : inbox.open) {
    if (id == message.receive) break;
    const Operation& earlier = *operation(message.to, id);
    if (!wanted_by(earlier.step).takes(message.from, send->step.tag)) continue;
    return earlier.step.key == 0 ? kProcNull : holder(earlier.step.key, depth + 1);
  }
  if (receive == nullptr) return kProcNull;
  for (const MessageKey earlier : inbox.unmatched.at(message.from)) {
    if (earlier == key) break;
    if (wanted_by(receive->step)
            .takes(message.from, operation(message.from, messages_.at(earlier).send)->step.tag))
      return holder(earlier, depth + 1);
  }
  return kProcNull;
}

// Of several that a rank waits for, rather one that is not among those.
WorldRank MessageSequence::waits_for(WorldRank who, const Ranks& sooner_not) {
  using Kind = MessageStep::Kind;
  const MessageStep& step = rank(who).queue.front();
  if (step.kind == Kind::Hear) {
    if (step.from == nullptr) return kProcNull;
    const auto said = said_.find(step.key);
    WorldRank missing = kProcNull;
    for (const WorldRank one : *step.from) {
      if (said != said_.end() &&
          std::find(said->second.by.begin(), said->second.by.end(), one) != said->second.by.end())
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
  if (step.kind == Kind::Probe) return holder(seen_by(who, step), 0);
  const Operation* const of = operation(who, step.operation);
  if (of == nullptr) return kProcNull;
  if (of->step.key == 0) return would_wait_for(who, *of);
  const WorldRank on = holder(of->step.key, 0);
  return on == kProcNull && !step.returned ? would_wait_for(who, *of) : on;
}

// In a run that was broken off: who is to act for a send or receive that is not matched and never
// will be; nobody, if the other end is there.
WorldRank MessageSequence::would_wait_for(WorldRank who, const Operation& operation) {
  const MessageStep& step = operation.step;
  if (!operation.posted || step.peer.value < 0) return kProcNull;
  const Inbox& inbox = inboxes_[operation.inbox];
  if (step.kind == MessageStep::Kind::Receive) {
    const auto sends = inbox.unmatched.find(step.peer);
    if (sends == inbox.unmatched.end()) return step.peer;
    const bool is_there =
        std::any_of(sends->second.begin(), sends->second.end(), [&](MessageKey key) {
          return wanted_by(step).takes(
              step.peer, this->operation(step.peer, messages_.at(key).send)->step.tag);
        });
    return is_there ? kProcNull : step.peer;
  }
  const bool is_there = std::any_of(inbox.open.begin(), inbox.open.end(), [&](std::uint64_t id) {
    return wanted_by(this->operation(step.peer, id)->step).takes(who, step.tag);
  });
  return is_there ? kProcNull : step.peer;
}

// A send and a receive that are both there, the first for each other, and were matched to others.
bool MessageSequence::any_other_match() {
  for (const Inbox& inbox : inboxes_)
    for (const auto& [from, keys] : inbox.unmatched)
      for (const MessageKey key : keys) {
        const Message& message = messages_.at(key);
        const std::int64_t tag = operation(from, message.send)->step.tag;
        for (const std::uint64_t id : inbox.open) {
          const Operation& receive = *operation(message.to, id);
          if (!wanted_by(receive.step).takes(from, tag)) continue;
          if (id != message.receive && receive.step.key != 0 &&
              first(inbox, from, tag, key, message.to, id, wanted_by(receive.step)))
            return true;
          break;
        }
      }
  return false;
}

// Receives of which nobody ever told what they took: with a message that nobody else took they have
// met, first with one that its sender waits for.
bool MessageSequence::match_unknown(bool waited_for) {
  for (const Inbox& inbox : inboxes_)
    for (const auto& [from, keys] : inbox.unmatched)
      for (const MessageKey key : keys) {
        Message& message = messages_.at(key);
        if (message.receive != 0) continue;
        const std::deque<MessageStep>& sender = rank(from).queue;
        if (waited_for &&
            (sender.empty() || sender.front().kind != MessageStep::Kind::CompleteSend ||
             sender.front().operation != message.send))
          continue;
        const std::int64_t tag = operation(from, message.send)->step.tag;
        for (const std::uint64_t id : inbox.open) {
          Operation& receive = *operation(message.to, id);
          if (!wanted_by(receive.step).takes(from, tag)) continue;
          if (receive.step.key != 0 ||
              !first(inbox, from, tag, key, message.to, id, wanted_by(receive.step)))
            break;
          receive.step.key = key;
          message.receive = id;
          try_match(key);
          return true;
        }
      }
  return false;
}

// Follows who waits for whom, to where it began or to the end: to somebody who waits for nobody, or
// who is not in this world and whose steps nobody knows.
Deadlock MessageSequence::who_waits(WorldRank from, const Ranks& sooner_not) {
  std::vector<WorldRank> path;
  WorldRank at = from;
  while (at.value >= 0 && !rank(at).queue.empty() &&
         std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    at = waits_for(at, sooner_not);
  }
  const auto start = std::find(path.begin(), path.end(), at);
  Deadlock deadlock;
  deadlock.cycle = start != path.end();
  if (deadlock.cycle) path.erase(path.begin(), start);
  for (const WorldRank who : path) {
    const MessageStep& step = rank(who).queue.front();
    const Operation* const of = operation(who, step.operation);
    const bool completes = step.kind == MessageStep::Kind::CompleteSend ||
                           step.kind == MessageStep::Kind::CompleteReceive;
    deadlock.waits.push_back({who, step, completes && of != nullptr ? of->step : MessageStep{},
                              waits_for(who, sooner_not)});
  }
  return deadlock;
}

// Who may go on after all, without buffers: who asks, or may be doing something else already; who
// waits for one of them; and who could take another message, or whose message could be taken by
// another receive. The others wait for ever.
MessageSequence::Ranks MessageSequence::may_go_on(bool told_all) {
  Ranks going(ranks_.size());
  bool anybody = false;
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      if (going[i] || !may_go_on(WorldRank(static_cast<std::int32_t>(i)), going, anybody, told_all))
        continue;
      going[i] = more = anybody = true;
    }
  }
  return going;
}

bool MessageSequence::may_go_on(WorldRank who, const Ranks& others, bool anybody, bool told_all) {
  using Kind = MessageStep::Kind;
  const Rank& own = rank(who);
  if (own.unsure) return true;
  if (own.queue.empty()) return !told_all;
  const MessageStep& step = own.queue.front();
  if (step.asked) return true;
  const auto goes = [&](WorldRank one) {
    return one == kAnySource ? anybody
                             : static_cast<std::size_t>(one.value) >= others.size() ||
                                   others[static_cast<std::size_t>(one.value)];
  };
  if (step.kind == Kind::Hear) {
    const auto said = said_.find(step.key);
    return step.from != nullptr &&
           std::all_of(step.from->begin(), step.from->end(), [&](WorldRank one) {
             return (said != said_.end() &&
                     std::find(said->second.by.begin(), said->second.by.end(), one) !=
                         said->second.by.end()) ||
                    goes(one);
           });
  }
  const Operation* const of = operation(who, step.operation);
  if (step.kind != Kind::Probe && of == nullptr) return false;
  const MessageStep& waited = step.kind == Kind::Probe ? step : of->step;
  if (goes(waited.peer)) return true;
  if (waited.kind == Kind::Send) {
    const Inbox& inbox = inboxes_[of->inbox];
    return std::any_of(inbox.open.begin(), inbox.open.end(), [&](std::uint64_t id) {
      return wanted_by(operation(waited.peer, id)->step).takes(who, waited.tag);
    });
  }
  if (!told_all && (step.kind == Kind::Probe ? seen_by(who, step) : waited.key) == 0)
    return true;  // nobody has told yet which one it took
  for (const auto& [from, keys] : inboxes_[inbox_of(who, waited.comm)].unmatched)
    for (const MessageKey key : keys)
      if (wanted_by(waited).takes(from, operation(from, messages_.at(key).send)->step.tag))
        return true;
  return false;
}

// Tells of those who wait for ever, and lets one send go.
bool MessageSequence::find_deadlock(WorldRank from, bool only_cycles, const Ranks& going) {
  if (rank(from).queue.empty() || going[static_cast<std::size_t>(from.value)]) return false;
  Deadlock deadlock = who_waits(from, going);
  return (deadlock.cycle || !only_cycles) && let_send_go(std::move(deadlock), true);
}

bool MessageSequence::let_send_go(Deadlock deadlock, bool told) {
  const auto lets_go =
      std::find_if(deadlock.waits.begin(), deadlock.waits.end(), [](const Deadlock::Waits& waits) {
        return waits.step.kind == MessageStep::Kind::CompleteSend &&
               waits.posted.mode != SendMode::Synchronous;
      });
  if (lets_go == deadlock.waits.end()) return false;
  const WorldRank let_go = lets_go->rank;
  operation(let_go, lets_go->step.operation)->let_go = true;
  wake(let_go);
  if (!told) {
    not_sure(rank(let_go));
    unsure_ |= !deadlock.other_match;
    if (!deadlock.other_match) return true;
  }
  deadlock.slice = slice_;
  std::vector<std::uint64_t> sites{deadlock.cycle, deadlock.other_match};
  for (const Deadlock::Waits& waits : deadlock.waits) sites.push_back(waits.step.site_key);
  std::sort(sites.begin() + 2, sites.end());
  const auto [known, added] = deadlocks_.try_emplace(std::move(sites), std::move(deadlock));
  if (!added) ++known->second.count;
  return true;
}

void MessageSequence::not_sure(Rank& rank) {
  rank.unsure = true;
  unsure_after_ = std::min(unsure_after_, slice_);
}

// A call that asked for what is not there, without buffers: it comes back otherwise.
bool MessageSequence::let_asked_go(WorldRank from, bool only_cycles) {
  if (rank(from).queue.empty()) return false;
  const Deadlock waiting = who_waits(from);
  if (only_cycles && !waiting.cycle) return false;
  const auto asks = std::find_if(waiting.waits.begin(), waiting.waits.end(),
                                 [](const Deadlock::Waits& waits) { return waits.step.asked; });
  if (asks == waiting.waits.end()) return false;
  answers_.note(asks->rank, asks->step.site, asks->step.site_key);
  rank(asks->rank).let_go = true;
  not_sure(rank(asks->rank));
  wake(asks->rank);
  return true;
}

// Where it hangs on something else than buffers: another message that a receive could take is told,
// with that.
bool MessageSequence::let_unsure_go(WorldRank from, bool only_cycles) {
  if (rank(from).queue.empty()) return false;
  Deadlock deadlock = who_waits(from);
  if (only_cycles && !deadlock.cycle) return false;
  const bool known_so_far =
      std::none_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.unsure; });
  deadlock.other_match = known_so_far && any_other_match();
  return let_send_go(std::move(deadlock), false);
}

// While others have not told everything yet.
bool MessageSequence::look_early(WorldRank who) {
  constexpr std::size_t kMost = 1 << 16;  // that wait here for the end of the run
  return find_deadlock(who, true, may_go_on(false)) || let_asked_go(who, true) ||
         (rank(who).queue.size() >= kMost && let_unsure_go(who, true));
}

void MessageSequence::finish(bool ended) {
  run();
  if (sends_ == Sends::AsSeen) return go_past_locks();
  const auto any = [&](auto lets_go) {
    for (const bool only_cycles : {true, false})
      for (std::size_t i = 0; i < ranks_.size(); ++i)
        if (lets_go(WorldRank(static_cast<std::int32_t>(i)), only_cycles)) return true;
    return false;
  };
  for (bool moved = true; moved;) {
    moved = waiting() != 0 && (match_unknown(true) || match_unknown(false));
    if (!moved && waiting() != 0) {
      const Ranks going = may_go_on(ended);
      moved =
          any([&](WorldRank who, bool only_cycles) {
            return find_deadlock(who, only_cycles, going);
          }) ||
          any([&](WorldRank who, bool only_cycles) { return let_asked_go(who, only_cycles); }) ||
          any([&](WorldRank who, bool only_cycles) { return let_unsure_go(who, only_cycles); });
    }
    run();
  }
}

void MessageSequence::forget_operations() {
  for (Rank& rank : ranks_) {
    if (races_ != nullptr)
      for (const auto& [id, operation] : rank.operations)
        if (operation.step.kind == MessageStep::Kind::Send &&
            operation.step.mode == SendMode::Synchronous && operation.matched)
          races_->free(operation.send);
    rank.operations.clear();
    rank.unlocks.clear();
    rank.unsure = false;  // known by its slice
  }
  if (races_ != nullptr)
    for (auto& [window, targets] : locks_)
      for (auto& [target, lock] : targets)
        for (const Release& release : lock.releases) races_->forget(release.key);
  locks_.clear();
}

std::vector<Deadlock> MessageSequence::circles() {
  std::map<WorldRank, Deadlock> by_lowest;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].queue.empty()) continue;
    Deadlock deadlock = who_waits(WorldRank(static_cast<std::int32_t>(i)));
    if (!deadlock.cycle) continue;
    const auto lowest =
        std::min_element(deadlock.waits.begin(), deadlock.waits.end(),
                         [](const auto& a, const auto& b) { return a.rank < b.rank; });
    const WorldRank rank = lowest->rank;
    std::rotate(deadlock.waits.begin(), lowest, deadlock.waits.end());
    by_lowest.try_emplace(rank, std::move(deadlock));
  }
  std::vector<Deadlock> all;
  for (auto& [rank, deadlock] : by_lowest) all.push_back(std::move(deadlock));
  return all;
}

std::vector<Deadlock> MessageSequence::deadlocks() const {
  std::vector<Deadlock> all;
  for (const auto& [sites, deadlock] : deadlocks_) all.push_back(deadlock);
  return all;
}

std::size_t MessageSequence::waiting() const {
  std::size_t steps = 0;
  for (const Rank& rank : ranks_) steps += rank.queue.size();
  return steps;
}

}  // namespace photofinish
