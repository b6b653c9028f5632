#include "detect/message_sequence.h"

#include <algorithm>
#include <climits>

#include "base/check.h"
#include "order/keys.h"

namespace photofinish {
namespace {

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
  if (added) {
    Inbox& inbox = inboxes_.emplace_back();
    inbox.rank = who;
    inbox.comm = comm;
  }
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
  if (threads_ != nullptr && threads_->watches_any()) report_match(message, send, receive);
  if (races_ != nullptr) races_->match(send_in_races(send), in_races(receive));
  messages_.erase(key);
  drop_if_over(message.from, message.send);
  drop_if_over(message.to, message.receive);
  wake(message.from);
  wake(message.to);
  gone(index, wanted, message.from);
}

void MessageSequence::report_match(const Message& message, const Operation& send,
                                   const Operation& receive) {
  for (const ThreadRaces::Operation& one :
       {ThreadRaces::Operation{message.from, message.send}, {message.to, message.receive}})
    if (threads_->watches(one))
      threads_->matched(one, races_->ends(send_in_races(send), in_races(receive)));
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
    moved = waiting() != 0 && (match_unknown(Among::WaitedSends) || match_unknown(Among::AllSends));
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
