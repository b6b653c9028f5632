#include "detect/message_sequence.h"

#include <algorithm>
#include <climits>

#include "base/check.h"
#include "order/keys.h"

namespace photofinish {
namespace {

Wanted wanted_by(const MessageStep& step) { return {step.peer, step.tag}; }

constexpr WorldRank kLowest{INT32_MIN};

MessageEnd end_of(WorldRank rank, const MessageStep& step) {
  return {rank, step.timestamp, step.site, step.site_key, step.tag};
}

}  // namespace

MessageSequence::MessageSequence(std::int32_t ranks, Sends sends, MessageRaces* races)
    : sends_(sends), races_(races), ranks_(static_cast<std::size_t>(ranks)) {}

std::uint32_t MessageSequence::inbox_of(WorldRank who, Uid comm) {
  const auto [found, added] =
      inbox_index_.try_emplace({who, comm}, static_cast<std::uint32_t>(inboxes_.size()));
  if (added) inboxes_.emplace_back().rank = who;
  return found->second;
}

// --- classes

void MessageSequence::append(std::map<ClassKey, Class>& classes, const ClassKey& key, WorldRank who,
                             std::uint64_t id) {
  Class& list = classes[key];
  (list.last != 0 ? operation(who, list.last)->next : list.first) = id;
  list.last = id;
}

// Removes the id, which is the first of its class unless it was cancelled.
void MessageSequence::remove(std::map<ClassKey, Class>& classes, const ClassKey& key, WorldRank who,
                             std::uint64_t id) {
  const auto found = classes.find(key);
  CHECK(found != classes.end());
  Class& list = found->second;
  const std::uint64_t next = std::exchange(operation(who, id)->next, 0);
  std::uint64_t before = 0;
  if (list.first == id) {
    list.first = next;
  } else {
    before = list.first;
    while (operation(who, before)->next != id) before = operation(who, before)->next;
    operation(who, before)->next = next;
  }
  if (list.last == id) list.last = before;
  if (list.first == 0) classes.erase(found);
}

std::uint64_t MessageSequence::first_open(const Inbox& inbox, WorldRank from, std::int64_t tag) {
  std::uint64_t first = 0, order = kLast;
  if (inbox.open.empty()) return first;
  const auto check = [&](const ClassKey& key) {
    const auto found = inbox.open.find(key);
    if (found == inbox.open.end()) return;
    const Operation& receive = *operation(inbox.rank, found->second.first);
    if (receive.order < order) order = receive.order, first = found->second.first;
  };
  check({tag, from});
  check({tag, kAnySource});
  if (inbox.any_tag == 0) return first;
  check({kAnyTag, from});
  check({kAnyTag, kAnySource});
  return first;
}

std::uint64_t MessageSequence::first_unmatched(const Inbox& inbox, WorldRank from,
                                               const Wanted& wanted) {
  if (!wanted.takes(from, wanted.tag)) return 0;
  if (wanted.tag != kAnyTag) {
    const auto found = inbox.unmatched.find({wanted.tag, from});
    return found == inbox.unmatched.end() ? 0 : found->second.first;
  }
  std::uint64_t first = 0, order = kLast;
  for (const auto& [key, list] : inbox.unmatched)
    if (key.second == from)
      if (const std::uint64_t its = operation(from, list.first)->order; its < order)
        order = its, first = list.first;
  return first;
}

template <class Visit>
void MessageSequence::each_first_send(const Inbox& inbox, Visit visit) {
  for (const auto& [key, list] : inbox.unmatched)
    if (visit(key.second, list.first)) return;
}

void MessageSequence::add(WorldRank who, MessageStep step) {
  using Kind = MessageStep::Kind;
  if (step.kind == Kind::Holds) {
    holders_[step.comm].push_back({who, step.peer, step.exclusive, step.returned});
    return;
  }
  if (step.kind == Kind::Send || step.kind == Kind::Receive ||
      (step.kind == Kind::Probe && step.key == 0)) {
    Operation& added = rank(who).operations[step.operation];
    added = {};
    added.nowhere = step.kind == Kind::Send && rank(who).taken_over.contains(step.key);
    added.key = step.key;
    added.tag = step.tag;
    added.peer = step.peer;
    added.kind = step.kind;
    added.mode = step.mode;
    added.call_site = table_.call_site(step);
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
        send != nullptr && send->kind == Kind::Send)
      rename_cancelled(who, step.operation, *send);
  Rank& own = rank(who);
  own.queue.push_back(std::move(step), table_);
  if (own.queue.size() == 1) {
    wake(who);
    run();
  }
  if (sends_ == Sends::Unbuffered && own.queue.size() >= own.check) [[unlikely]] {
    own.check = check_early(who) ? 256 : 2 * own.queue.size();
    run();
  }
}

void MessageSequence::took(WorldRank who, std::uint64_t id, MessageKey key) {
  Operation* const receive = operation(who, id);
  if (receive == nullptr) return;
  receive->key = key;
  if (receive->kind == MessageStep::Kind::Probe) {
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
      own.queue.pop_front(table_);
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
    case Kind::Acquire:
      return acquire(who, step);
    case Kind::Unlock:
      unlock(who);
      return true;
    case Kind::Locked:
      return lock(who, step);
    case Kind::Holds:
    case Kind::AwaitLock:
      return false;  // the rank makes no further step
    case Kind::Release: {
      Released& released = released_[step.key];
      released.by.push_back(who);
      released.others = step.others;
      released.unsure |= rank(who).unsure;
      if (races_ != nullptr && step.carries) races_->release(who, step.key);
      if (released.by.size() >= released.needed)
        for (const WorldRank waiting : std::exchange(released.waiting, {})) wake(waiting);
      return true;
    }
    case Kind::Cancel: {
      Operation* const receive = operation(who, step.operation);
      if (receive != nullptr && receive->kind == Kind::Send) {
        cancel_send(who, step.operation, *receive);
        return true;
      }
      if (receive == nullptr || !receive->posted || receive->matched || receive->cancelled)
        return true;
      receive->cancelled = true;
      Inbox& inbox = inboxes_[receive->inbox];
      remove(inbox.open, {receive->tag, receive->peer}, who, step.operation);
      if (receive->tag == kAnyTag) --inbox.any_tag;
      if (races_ != nullptr) races_->cancel(in_races(*receive));
      gone(receive->inbox, receive->wanted(), kAnySource);
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
      if (races_ != nullptr) races_->complete(in_races(*receive));
      rank(who).operations.erase(step.operation);
      return true;
    }
    case Kind::CompleteSend:
    case Kind::Free: {
      Operation* const send = operation(who, step.operation);
      if (send == nullptr) return true;
      const SendMode mode = send->mode;
      if (step.kind == Kind::CompleteSend) {
        const bool may_wait =
            !step.returned || (sends_ == Sends::Unbuffered && mode != SendMode::Buffered);
        const bool waits = mode == SendMode::Synchronous || (may_wait && !send->let_go);
        if (waits && !send->matched && !rank(who).let_go) return false;
        if (waits && send->matched) rank(who).unsure |= send->met_unsure;
        if (races_ != nullptr && mode == SendMode::Synchronous && !send->nowhere)
          races_->complete(send_in_races(*send));
      } else if (races_ != nullptr && !send->nowhere &&
                 (mode == SendMode::Synchronous || !send->matched)) {
        races_->free(send_in_races(*send));
      }
      send->freed = true;
      if (send->nowhere) rank(who).taken_over.erase(send->key);
      drop_if_over(who, step.operation);
      return true;
    }
  }
  return true;
}

// Operations that are neither matched nor completed are still needed.
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
  step.key = send.key;
  if (send.nowhere) {
    send.matched = true;
    return;
  }
  send.inbox = inbox_of(step.peer, step.comm);
  Inbox& inbox = inboxes_[send.inbox];
  send.order = ++inbox.posted;
  append(inbox.unmatched, {step.tag, who}, who, step.operation);
  if (races_ != nullptr)
    send.handle = races_->send(end_of(who, step), step.comm, step.peer, step.mode).index;
  wake(step.peer);  // it may wait for this message
  try_match(step.key);
}

// The rank's next message with this source, destination and tag has the same key. It may be matched
// before this cancellation is processed. If the cancelled send has already been matched under the
// key, the next one takes its place.
void MessageSequence::rename_cancelled(WorldRank who, std::uint64_t id, Operation& send) {
  const MessageKey key = send.key;
  if (send.nowhere) return;  // and so is the next one
  if (send.matched) {
    rank(who).taken_over.insert(key);
    return;
  }
  const MessageKey own = edge_key(Channel::Message, static_cast<std::uint32_t>(who.value), id);
  Message* const known = messages_.find(key);
  CHECK(known != nullptr);
  Message cancelled = *known;
  if (cancelled.receive == 0)
    messages_.erase(key);
  else
    known->send = 0;
  cancelled.receive = 0;
  messages_[own] = cancelled;
  send.key = own;
}

void MessageSequence::cancel_send(WorldRank who, std::uint64_t id, Operation& send) {
  if (send.matched) {
    if (races_ != nullptr && send.mode == SendMode::Synchronous && !send.nowhere)
      races_->free(send_in_races(send));
    rank(who).operations.erase(id);
    return;
  }
  const std::uint32_t inbox = send.inbox;
  remove(inboxes_[inbox].unmatched, {send.tag, who}, who, id);
  messages_.erase(send.key);
  if (races_ != nullptr) races_->cancel(send_in_races(send));
  wake(send.peer);
  const Wanted like{who, send.tag};
  rank(who).operations.erase(id);
  gone(inbox, like, who);
}

void MessageSequence::post_receive(WorldRank who, MessageStep& step) {
  Operation& receive = *operation(who, step.operation);
  receive.posted = true;
  receive.unsure = rank(who).unsure;
  receive.inbox = inbox_of(who, step.comm);
  Inbox& inbox = inboxes_[receive.inbox];
  receive.order = ++inbox.posted;
  append(inbox.open, {step.tag, step.peer}, who, step.operation);
  if (step.tag == kAnyTag) ++inbox.any_tag;
  if (races_ != nullptr) {
    const MessageRaces::Receive reported =
        races_->receive(end_of(who, step), step.comm, wanted_by(step));
    inbox.races = reported.inbox;
    receive.handle = reported.id;
  }
  if (receive.key != 0) try_match(receive.key);
}

// Whether no receive posted before `before` would take the message, and no earlier message would be
// taken by the receive.
bool MessageSequence::first(const Inbox& inbox, WorldRank from, std::uint64_t send,
                            std::uint64_t before, const Wanted& wanted) {
  const Operation& sent = *operation(from, send);
  if (const std::uint64_t open = first_open(inbox, from, sent.tag);
      open != 0 && operation(inbox.rank, open)->order < before)
    return false;
  // Messages of one class match in order, even if any tag is wanted.
  return first_unmatched(inbox, from, {from, sent.tag}) == send &&
         (wanted.tag != kAnyTag || first_unmatched(inbox, from, wanted) == send);
}

void MessageSequence::try_match(MessageKey key) {
  const Message* const found = messages_.find(key);
  if (found == nullptr || found->send == 0 || found->receive == 0) return;
  const Message message = *found;
  Operation* const send = operation(message.from, message.send);
  Operation* const receive = operation(message.to, message.receive);
  if (send == nullptr || receive == nullptr || !send->posted || !receive->posted || send->matched ||
      receive->matched || receive->cancelled)
    return;
  if (!first(inboxes_[send->inbox], message.from, message.send, receive->order, receive->wanted()))
    return;  // gone() retries it
  match(key, message, *send, *receive);
}

void MessageSequence::match(MessageKey key, const Message& message, Operation& send,
                            Operation& receive) {
  send.matched = receive.matched = true;
  send.met_unsure = receive.unsure;
  receive.met_unsure = send.unsure;
  const std::uint32_t index = receive.inbox;
  const Wanted wanted = receive.wanted();
  Inbox& inbox = inboxes_[index];
  remove(inbox.open, {receive.tag, receive.peer}, message.to, message.receive);
  if (receive.tag == kAnyTag) --inbox.any_tag;
  remove(inbox.unmatched, {send.tag, message.from}, message.from, message.send);
  if (races_ != nullptr) races_->match(send_in_races(send), in_races(receive));
  messages_.erase(key);
  drop_if_over(message.from, message.send);
  drop_if_over(message.to, message.receive);
  wake(message.from);
  wake(message.to);
  gone(index, wanted, message.from);
}

// A receive that wanted `receive`, or a send of `from` that it would have taken, is out of the way,
// so other matches may be possible now. Retries the first send of each class that the receive could
// have taken; all classes of that sender if any receive takes any tag.
void MessageSequence::gone(std::uint32_t index, const Wanted& receive, WorldRank from) {
  const Inbox& inbox = inboxes_[index];
  const auto again = [&](const std::pair<const ClassKey, Class>& one) {
    const Operation& send = *operation(one.first.second, one.second.first);
    if (const Message* const message = messages_.find(send.key);
        message != nullptr && message->receive != 0)
      again_.push_back(send.key);
  };
  if (inbox.any_tag != 0 || receive.tag == kAnyTag) {
    for (const auto& one : inbox.unmatched)
      if (one.first.second == from || receive.takes(one.first.second, one.first.first)) again(one);
  } else if (receive.source != kAnySource) {
    if (const auto found = inbox.unmatched.find({receive.tag, receive.source});
        found != inbox.unmatched.end())
      again(*found);
  } else {
    for (auto at = inbox.unmatched.lower_bound({receive.tag, kLowest});
         at != inbox.unmatched.end() && at->first.first == receive.tag; ++at)
      again(*at);
  }
  try_again();
}

// One at a time: each match may enable others.
void MessageSequence::try_again() {
  if (trying_) return;
  trying_ = true;
  while (!again_.empty()) {
    const MessageKey key = again_.back();
    again_.pop_back();
    try_match(key);
  }
  trying_ = false;
}

MessageKey MessageSequence::seen_by(WorldRank who, const MessageStep& probe) {
  if (probe.key != 0) return probe.key;
  const Operation* const of = operation(who, probe.operation);
  return of == nullptr ? 0 : of->key;
}

bool MessageSequence::probe(WorldRank who, const MessageStep& step) {
  const MessageKey key = seen_by(who, step);
  if (rank(who).let_go) {
    if (step.key == 0) rank(who).operations.erase(step.operation);
    return true;
  }
  const Message* const found = messages_.find(key);
  if (found == nullptr) return false;
  Operation* const send = found->send == 0 ? nullptr : operation(found->from, found->send);
  if (send == nullptr || !send->posted) return false;
  const Wanted wanted = wanted_by(step);
  if (!first(inboxes_[send->inbox], found->from, found->send, kLast, wanted)) return false;
  rank(who).unsure |= send->unsure;
  if (races_ != nullptr) races_->probe(end_of(who, step), step.comm, wanted, send_in_races(*send));
  if (step.key == 0) rank(who).operations.erase(step.operation);
  return true;
}

bool MessageSequence::acquire(WorldRank who, const MessageStep& step) {
  if (rank(who).let_go) return true;
  Released& released = released_[step.key];
  const std::size_t needed = step.from == nullptr ? 1 : step.from->size();
  if (released.by.size() < needed) {
    released.waiting.push_back(who);
    released.needed = std::min(released.needed, needed);
    return false;
  }
  rank(who).unsure |= released.unsure;
  if (races_ != nullptr && step.carries) races_->acquire(who, step.key);
  if (++released.acquired >= released.others) {
    released_.erase(step.key);
    if (races_ != nullptr) races_->forget(step.key);
  }
  return true;
}

// --- window locks: acquired in the observed order

void MessageSequence::announce(WorldRank who, const MessageStep& step) {
  Lock& lock = locks_[step.comm][step.peer];
  const std::uint64_t key = edge_key(Channel::Lock, step.comm.value, ++unlocks_);
  const auto later = std::find_if(lock.releases.rbegin(), lock.releases.rend(),
                                  [&](const Release& one) { return one.ticks <= step.operation; });
  lock.releases.insert(later.base(), {who, step.exclusive, false, step.tag, step.operation, key});
  rank(who).unlocks.emplace_back(&lock, key);
}

void MessageSequence::unlock(WorldRank who) {
  if (rank(who).unlocks.empty()) return;  // without buffering, or never announced
  const auto [lock, key] = rank(who).unlocks.front();
  rank(who).unlocks.pop_front();
  const auto release = std::find_if(lock->releases.begin(), lock->releases.end(),
                                    [key = key](const Release& one) { return one.key == key; });
  CHECK(release != lock->releases.end());
  release->taken = true;
  if (races_ != nullptr) races_->release(who, key);
  for (const WorldRank waiting : std::exchange(lock->waiting, {})) wake(waiting);
  // Old releases of one lock are merged.
  constexpr std::size_t kApart = 64;
  for (std::size_t oldest = 0;
       lock->releases.size() > kApart && oldest < 2 && lock->releases[oldest].taken;) {
    const Release& first = lock->releases[oldest];
    const auto next = std::find_if(
        lock->releases.begin() + static_cast<std::ptrdiff_t>(oldest) + 1, lock->releases.end(),
        [&](const Release& one) { return one.exclusive == first.exclusive; });
    if (next == lock->releases.end() || !next->taken) {
      ++oldest;  // the other lock type may have some
      continue;
    }
    if (races_ != nullptr) races_->fold(first.key, next->key);
    if (next->rank != first.rank) next->rank = kProcNull;
    lock->releases.erase(lock->releases.begin() + static_cast<std::ptrdiff_t>(oldest));
  }
}

// Visits the releases that precede `locked`. Ticks of one clock are compared. For different clocks,
// the releases processed so far precede it.
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
    each_before(who, step,
                [&](Lock&, const Release& release) { races_->acquire(who, release.key); });
  return true;
}

// Recorded times are rounded. A rank that is stuck before a lock held it just before the other one.
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

// --- wait-for relation

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

// Matches receives whose message was never reported with sends that no other receive took. A send
// that its rank waits for comes first.
bool MessageSequence::match_unknown(bool waited_for) {
  MessageKey key = 0;
  for (const Inbox& inbox : inboxes_) {
    each_first_send(inbox, [&](WorldRank from, std::uint64_t send) {
      const Operation& sent = *operation(from, send);
      Message& message = *messages_.find(sent.key);
      if (message.receive != 0) return false;
      const StepQueue& sender = rank(from).queue;
      if (waited_for && (sender.empty() || sender.front().kind != MessageStep::Kind::CompleteSend ||
                         sender.front().operation != send))
        return false;
      const std::uint64_t open = first_open(inbox, from, sent.tag);
      if (open == 0) return false;
      Operation& receive = *operation(inbox.rank, open);
      if (receive.key != 0 || !first(inbox, from, send, receive.order, receive.wanted()))
        return false;
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

// Detects deadlocks before all steps have been added.
bool MessageSequence::check_early(WorldRank who) {
  constexpr std::size_t kMost = 1 << 16;  // steps that wait for the end of the run
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
      rank.operations.each([&](std::uint64_t, const Operation& operation) {
        if (operation.kind == MessageStep::Kind::Send && operation.mode == SendMode::Synchronous &&
            operation.matched)
          races_->free(send_in_races(operation));
      });
    rank.operations.clear();
    rank.unlocks.clear();
    rank.unsure = false;  // the phase records it
  }
  if (races_ != nullptr)
    for (auto& [window, targets] : locks_)
      for (auto& [target, lock] : targets)
        for (const Release& release : lock.releases) races_->forget(release.key);
  locks_.clear();
}

// --- ends of interrupted runs

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

std::vector<WaitChain> MessageSequence::deadlocks() const {
  std::vector<WaitChain> all;
  for (const auto& [sites, chain] : deadlocks_) all.push_back(chain);
  return all;
}

std::size_t MessageSequence::bytes() const {
  std::size_t bytes = messages_.bytes();
  for (const Rank& rank : ranks_) bytes += rank.queue.bytes() + rank.operations.bytes();
  for (const Inbox& inbox : inboxes_)
    bytes += (inbox.open.size() + inbox.unmatched.size()) * (sizeof(ClassKey) + sizeof(Class) + 48);
  return bytes;
}

std::size_t MessageSequence::waiting() const {
  std::size_t steps = 0;
  for (const Rank& rank : ranks_) steps += rank.queue.size();
  return steps;
}

}  // namespace photofinish
