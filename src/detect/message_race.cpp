#include "detect/message_race.h"

#include "base/check.h"

namespace photofinish {

MessageRaces::MessageRaces(std::int32_t ranks)
    : pool_(static_cast<std::size_t>(ranks)), ranks_(static_cast<std::size_t>(ranks)) {
  for (Rank& rank : ranks_) rank.clock = SharedClock(pool_);
}

std::uint32_t MessageRaces::inbox_of(WorldRank rank, Uid comm) {
  const auto [found, added] =
      inbox_index_.try_emplace({rank, comm}, static_cast<std::uint32_t>(inboxes_.size()));
  if (added) {
    inboxes_.emplace_back(rank, comm);
    inbox_rank_.push_back(rank);
  }
  return found->second;
}

MessageRaces::Send MessageRaces::send(const MessageEnd& end, Uid comm, WorldRank to,
                                      SendMode mode) {
  Rank& from = rank(end.rank);
  std::uint32_t index;
  if (free_sends_.empty()) {
    index = static_cast<std::uint32_t>(sends_.size());
    sends_.emplace_back();
  } else {
    index = free_sends_.back();
    free_sends_.pop_back();
  }
  Outgoing& out = sends_[index];
  out.rank = end.rank;
  out.inbox = inbox_of(to, comm);
  out.synchronous = mode == SendMode::Synchronous;
  out.matched = false;
  out.id = inboxes_[out.inbox].sent({end, ++from.sends, from.clock});
  return {index};
}

MessageRaces::Receive MessageRaces::receive(const MessageEnd& end, Uid comm, Wanted wanted) {
  const std::uint32_t inbox = inbox_of(end.rank, comm);
  return {inbox, inboxes_[inbox].posted(wanted, end, rank(end.rank).clock)};
}

MessageRaces::Matched MessageRaces::ends(Send send, Receive receive) {
  Inbox& inbox = inboxes_[receive.inbox];
  const auto [wanted, end] = inbox.posted_as(receive.id);
  return {inbox.comm(), wanted, inbox.end_of(sends_[send.index].id), end};
}

void MessageRaces::match(Send send, Receive receive) {
  Outgoing& out = sends_[send.index];
  CHECK(!out.matched && out.inbox == receive.inbox);
  Inbox& inbox = inboxes_[receive.inbox];
  SharedClock posted = inbox.take_posted_clock(receive.id);
  inbox.matched(out.id, receive.id, match_, [this](const MessageRace& race) { add(race); });
  if (out.synchronous) {
    out.matched = true;
    out.released_clock = match_.clock;
    out.released_clock.join(posted);
    out.before = match_.before;
  } else {
    free_sends_.push_back(send.index);
  }
  if (inbox.crowded())
    inbox.forget_known(ranks_.size(),
                       [this](WorldRank who) -> const SharedClock& { return rank(who).clock; });
}

void MessageRaces::complete(Receive receive) {
  Inbox& inbox = inboxes_[receive.inbox];
  const WorldRank who = inbox_rank_[receive.inbox];
  Rank& own = rank(who);
  const ClockPool::Time time = tick(own);
  inbox.completed(receive.id, time, own.clock);
  own.clock.raise(static_cast<std::size_t>(who.value), time);
}

void MessageRaces::complete(Send send) {
  Outgoing& out = sends_[send.index];
  CHECK(out.synchronous && out.matched);
  Rank& own = rank(out.rank);
  const ClockPool::Time time = tick(own);
  own.clock.join(out.released_clock);
  own.clock.raise(static_cast<std::size_t>(out.rank.value), time);
  inboxes_[out.inbox].released(out.before, out.rank, time);
  out.released_clock.reset();
  out.before.clear();
  free_sends_.push_back(send.index);
}

void MessageRaces::free(Send send) {
  Outgoing& out = sends_[send.index];
  out.synchronous = false;
  if (!out.matched) return;
  out.released_clock.reset();
  out.before.clear();
  free_sends_.push_back(send.index);
}

void MessageRaces::cancel(Receive receive) {
  inboxes_[receive.inbox].cancelled(receive.id, rank(inbox_rank_[receive.inbox]).clock);
}

void MessageRaces::cancel(Send send) {
  const Outgoing& out = sends_[send.index];
  CHECK(!out.matched);
  inboxes_[out.inbox].withdrawn(out.id);
  free_sends_.push_back(send.index);
}

void MessageRaces::probe(const MessageEnd& end, Uid comm, Wanted wanted, Send saw) {
  const std::uint32_t index = inbox_of(end.rank, comm);
  CHECK(sends_[saw.index].inbox == index);
  Inbox& inbox = inboxes_[index];
  inbox.probed(sends_[saw.index].id, wanted, end, match_,
               [this](const MessageRace& race) { add(race); });
  Rank& own = rank(end.rank);
  const ClockPool::Time time = tick(own);
  own.clock.join(match_.clock);
  own.clock.raise(static_cast<std::size_t>(end.rank.value), time);
  inbox.released(match_.before, end.rank, time);
}

void MessageRaces::release(WorldRank who, std::uint64_t key) {
  released_[key].join(rank(who).clock);
}

void MessageRaces::acquire(WorldRank who, std::uint64_t key) {
  if (const auto found = released_.find(key); found != released_.end())
    rank(who).clock.join(found->second);
}

void MessageRaces::fold(std::uint64_t key, std::uint64_t into) {
  const auto found = released_.find(key);
  if (found == released_.end()) return;
  const SharedClock clock = std::move(found->second);
  released_.erase(found);
  released_[into].join(clock);
}

void MessageRaces::finish() {
  for (Inbox& inbox : inboxes_) inbox.finish([this](const MessageRace& race) { add(race); });
}

void MessageRaces::add(const MessageRace& race) {
  MessageRaceClass& known = races_[{race.receive.site_key, race.other.site_key}];
  if (known.count++ == 0) known.first = race;
  for (const WorldRank rank : {race.receive.rank, race.got.rank, race.other.rank})
    if (rank.value >= 0) known.ranks.insert(rank);
}

std::vector<MessageRaceClass> MessageRaces::races() const {
  std::vector<MessageRaceClass> all;
  for (const auto& [key, race] : races_) all.push_back(race);
  return all;
}

MessageRaces::Held MessageRaces::held() const {
  Held held;
  held.sends = sends_.size() - free_sends_.size();
  held.clock_bytes = pool_.bytes();
  for (const Inbox& inbox : inboxes_) {
    held.receives += inbox.window();
    held.kept += inbox.kept();
    held.bytes += inbox.bytes();
  }
  held.bytes += held.clock_bytes + sends_.capacity() * sizeof(Outgoing);
  return held;
}

}  // namespace photofinish
