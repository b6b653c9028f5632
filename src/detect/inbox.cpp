#include "detect/inbox.h"

#include <algorithm>

#include "base/check.h"

namespace photofinish {

Inbox::SendId Inbox::sent(Incoming send) {
  const auto [found, added] =
      source_of_.try_emplace(send.end.rank, static_cast<std::uint32_t>(sources_.size()));
  if (added) sources_.push_back({send.end.rank, {}, 0});
  SendId id;
  if (free_sends_.empty()) {
    id = static_cast<SendId>(sends_.size());
    sends_.emplace_back();
  } else {
    id = free_sends_.back();
    free_sends_.pop_back();
  }
  sends_[id] = {std::move(send), found->second};
  sources_[found->second].unmatched.push_back(id);
  ++unmatched_;
  return id;
}

void Inbox::remove(SendId id) {
  Source& source = sources_[sends_[id].source];
  std::vector<SendId>& list = source.unmatched;
  if (list[source.first] == id) {
    ++source.first;
  } else {
    const auto at =
        std::find(list.begin() + static_cast<std::ptrdiff_t>(source.first), list.end(), id);
    CHECK(at != list.end());
    list.erase(at);
  }
  if (source.first == list.size()) {
    list.clear();
    source.first = 0;
  } else if (source.first >= 64 && 2 * source.first > list.size()) {
    list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(source.first));
    source.first = 0;
  }
  free_sends_.push_back(id);
  --unmatched_;
}

Inbox::ReceiveId Inbox::posted(Wanted wanted, const MessageEnd& end, const SharedClock& clock) {
  trim();
  Received& received = window_.emplace_back();
  received.id = next_++;
  received.wanted = wanted;
  received.end = end;
  received.posted_clock = clock;
  by_wanted_[{wanted.tag, wanted.source}].push_back(received.id);
  return received.id;
}

// The number of receives in the window that were posted before `id`.
std::size_t Inbox::before_in_window(ReceiveId id) const {
  if (window_.empty() || window_.back().id < id) return window_.size();
  if (window_.front().id == id) return 0;
  const auto at = std::lower_bound(window_.begin(), window_.end(), id,
                                   [](const Received& r, ReceiveId i) { return r.id < i; });
  return static_cast<std::size_t>(at - window_.begin());
}

Inbox::Received& Inbox::find(ReceiveId id) {
  const std::size_t at = before_in_window(id);
  CHECK(at < window_.size() && window_[at].id == id);
  return window_[at];
}

// Whether R_m leads from the match of `earlier` to a match of the receive with the send.
bool Inbox::must_come_first(const Received& earlier, ReceiveId id, const Wanted& wanted,
                            WorldRank from, std::int64_t tag, std::uint64_t number) const {
  if (!earlier.matched || earlier.id >= id || earlier.completed_at <= id) return false;
  if (earlier.wanted.takes(from, tag)) return true;
  return earlier.from == from && earlier.send_number < number && wanted.takes(from, earlier.tag);
}

// Among receives of one class (same wanted source and tag, or messages of one sender and tag), each
// match precedes the next. So the latest one represents all of them. A cancelled one represents
// only itself.
void Inbox::add_latest(const Class& same, ReceiveId id, const Wanted& wanted,
                       const Incoming& send) {
  for (auto at = std::lower_bound(same.begin(), same.end(), id); at != same.begin();) {
    const Received& earlier = find(*--at);
    if (!must_come_first(earlier, id, wanted, send.end.rank, send.end.tag, send.number)) continue;
    candidates_.push_back(&earlier);
    if (earlier.from.value >= 0) return;
  }
}

// Joins the clocks of the matches that must come first, except those that an included one already
// covers.
void Inbox::collect(ReceiveId id, const Wanted& wanted, const Incoming& send, SharedClock& clock,
                    std::vector<KeptRef>& before) {
  clock = send.clock;
  before.clear();
  in_.clear();
  candidates_.clear();
  const auto check = [&](const Classes& classes, const ClassKey& key) {
    if (const auto found = classes.find(key); found != classes.end())
      add_latest(found->second, id, wanted, send);
  };
  for (const std::int64_t tag : {send.end.tag, kAnyTag})
    for (const WorldRank source : {send.end.rank, kAnySource}) check(by_wanted_, {tag, source});
  if (wanted.tag != kAnyTag)
    check(by_sender_, {wanted.tag, send.end.rank});
  else
    for (const auto& [key, same] : by_sender_)
      if (key.second == send.end.rank) add_latest(same, id, wanted, send);
  std::sort(candidates_.begin(), candidates_.end());  // in window order
  candidates_.erase(std::unique(candidates_.begin(), candidates_.end()), candidates_.end());
  for (std::size_t i = candidates_.size(); i-- > 0;) {
    const Received& earlier = *candidates_[i];
    if (std::any_of(in_.begin(), in_.end(), [&](const Received* later) {
          return later->from.value >= 0 &&
                 must_come_first(earlier, later->id, later->wanted, later->from, later->tag,
                                 later->send_number);
        }))
      continue;
    in_.push_back(&earlier);
    clock.join(earlier.clock);
    for (const KeptRef& ref : earlier.before)
      if (kept_[ref.index].used && kept_[ref.index].generation == ref.generation)
        before.push_back(ref);
  }
}

bool Inbox::before(const Releases& releases, const SharedClock& clock) {
  return std::any_of(releases.begin(), releases.end(), [&](const auto& release) {
    return release.second <= clock[static_cast<std::size_t>(release.first.value)];
  });
}

// Whether a match that would have to come first can happen only after the kept match.
bool Inbox::blocked(const Kept& kept, WorldRank rank, std::int64_t tag,
                    std::uint64_t number) const {
  return std::any_of(kept.late.begin(), kept.late.end(), [&](const Late& late) {
    return late.wanted.takes(rank, tag) ||
           (late.from == rank && late.number < number && kept.wanted.takes(rank, late.tag));
  });
}

// `received` is matched or cancelled at `clock`. That is too late for kept matches that depend on
// it and precede `clock`.
void Inbox::note_late(const Received& received, WorldRank from, std::int64_t tag,
                      std::uint64_t number, const SharedClock& clock) {
  if (received.id >= last_kept_) return;
  for (Kept& kept : kept_)
    if (kept.used && kept.id > received.id && before(kept.releases, clock))
      kept.late.push_back({received.wanted, from, tag, number});
}

bool Inbox::open_receive_before(ReceiveId id, WorldRank from, std::int64_t tag) const {
  for (std::size_t i = open_at_; i < window_.size(); ++i) {
    const Received& received = window_[i];
    if (received.id >= id) return false;
    if (!received.matched && received.wanted.takes(from, tag)) return true;
  }
  return false;
}

// Whether unmatched earlier sends of the rank fit the kept receive, and whether a receive before it
// could still take them.
Inbox::Earlier Inbox::earlier_of(const Kept& kept, WorldRank rank, std::uint64_t number) const {
  const auto found = source_of_.find(rank);
  if (found == source_of_.end()) return Earlier::None;
  const Source& source = sources_[found->second];
  Earlier result = Earlier::None;
  for (std::size_t i = source.first; i < source.unmatched.size(); ++i) {
    const Incoming& send = sends_[source.unmatched[i]].incoming;
    if (send.number >= number) break;
    if (!kept.wanted.takes(rank, send.end.tag)) continue;
    if (!open_receive_before(kept.id, rank, send.end.tag)) return Earlier::Stays;
    result = Earlier::Undecided;
  }
  return result;
}

Inbox::KeptRef Inbox::keep(Taker taker, const Received& received, const MessageEnd& got) {
  std::uint32_t index;
  if (free_kept_.empty()) {
    index = static_cast<std::uint32_t>(kept_.size());
    kept_.emplace_back();
  } else {
    index = free_kept_.back();
    free_kept_.pop_back();
  }
  Kept& kept = kept_[index];
  kept.used = true;
  kept.taker = taker;
  kept.id = received.id;
  kept.wanted = received.wanted;
  kept.receive = received.end;
  kept.got = got;
  last_kept_ = std::max(last_kept_, received.id);
  ++kept_count_;
  std::vector<std::uint32_t>& same_tag = kept_by_tag_[received.wanted.tag];
  supersede(same_tag, index);
  same_tag.push_back(index);
  return {index, kept.generation};
}

// Drops earlier matches of the same site, source and tag, back to the last open receive in between.
// A send that could have matched one of them could also have matched this one.
void Inbox::supersede(std::vector<std::uint32_t>& same_tag, std::uint32_t by) {
  const Kept& latest = kept_[by];
  ReceiveId open = 0;
  skip_matched();
  for (std::size_t i = before_in_window(latest.id); i-- > open_at_ && open == 0;)
    if (!window_[i].matched) open = window_[i].id;
  for (std::size_t i = 0; i < same_tag.size();) {
    const Kept& kept = kept_[same_tag[i]];
    const bool replaced = kept.id < latest.id && kept.id > open && kept.pins == 0 &&
                          kept.taker == latest.taker && kept.wanted == latest.wanted &&
                          kept.receive.site_key == latest.receive.site_key &&
                          (kept.taker != Taker::Cancelled || !kept.releases.empty());
    if (!replaced) {
      ++i;
      continue;
    }
    const std::uint32_t index = same_tag[i];
    same_tag[i] = same_tag.back();
    same_tag.pop_back();
    clear(index);
  }
}

void Inbox::forget(std::uint32_t index) {
  const auto found = kept_by_tag_.find(kept_[index].wanted.tag);
  std::erase(found->second, index);
  if (found->second.empty()) kept_by_tag_.erase(found);
  clear(index);
}

void Inbox::clear(std::uint32_t index) {
  Kept& kept = kept_[index];
  kept.used = false;
  ++kept.generation;
  kept.releases.clear();
  kept.settled.clear();
  kept.late.clear();
  free_kept_.push_back(index);
  --kept_count_;
}

void Inbox::withdrawn(SendId id) {
  const Incoming send = std::move(sends_[id].incoming);
  remove(id);
  // Drops pending pairs that depend on this send.
  std::erase_if(pending_, [&](const Pending& pending) {
    Kept& kept = kept_[pending.kept];
    const bool hangs = pending.send.rank == send.end.rank && send.number < pending.number &&
                       kept.wanted.takes(send.end.rank, send.end.tag);
    if (hangs) --kept.pins;
    return hangs;
  });
}

void Inbox::cancelled(ReceiveId receive, const SharedClock& clock) {
  Received& received = find(receive);
  note_late(received, kProcNull, 0, 0, clock);
  received.matched = true;
  received.from = kProcNull;
  MessageEnd nothing;
  nothing.rank = kProcNull;
  received.before = {keep(Taker::Cancelled, received, nothing)};
}

void Inbox::completed(ReceiveId receive, ClockPool::Time time, SharedClock& clock) {
  Received& received = find(receive);
  CHECK(received.matched);
  clock.join(received.clock);
  released(received.before, rank_, time);
  received.completed_at = next_;
  ++done_;
}

void Inbox::released(const std::vector<KeptRef>& matches, WorldRank rank, ClockPool::Time time) {
  for (const KeptRef& ref : matches) {
    Kept& kept = kept_[ref.index];
    if (!kept.used || kept.generation != ref.generation) continue;
    const auto at = std::find_if(kept.releases.begin(), kept.releases.end(),
                                 [&](const auto& release) { return release.first == rank; });
    if (at == kept.releases.end())
      kept.releases.emplace_back(rank, time);
    else
      at->second = std::min(at->second, time);
  }
}

// Drops completed receives next to which no open one was posted.
void Inbox::trim() {
  if (done_ < trim_at_) return;
  ReceiveId open = ~ReceiveId{0};  // the first open receive after the current one
  std::size_t kept = window_.size();
  for (std::size_t i = window_.size(); i-- > 0;) {
    Received& received = window_[i];
    if (!received.matched) open = received.id;
    if (received.completed_at <= open && received.completed_at != ~ReceiveId{0}) {
      --done_;
      continue;
    }
    if (--kept != i) window_[kept] = std::move(received);
  }
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(kept));
  trim_at_ = std::max({std::size_t{8}, 2 * done_, window_.size() / 2});
  open_at_ = 0;
  sort_into_classes();
}

void Inbox::skip_matched() {
  while (open_at_ < window_.size() && window_[open_at_].matched) ++open_at_;
}

// Rebuilds the classes from the remaining receives.
void Inbox::sort_into_classes() {
  const ReceiveId first = window_.empty() ? next_ : window_.front().id;
  // Empty classes that are retained for reuse.
  constexpr std::size_t kFew = 64;
  const auto is_gone = [&](ReceiveId id) {
    if (id < first) return true;
    const std::size_t at = before_in_window(id);
    return at == window_.size() || window_[at].id != id;
  };
  for (Classes* const classes : {&by_wanted_, &by_sender_})
    for (auto at = classes->begin(); at != classes->end();) {
      std::erase_if(at->second, is_gone);
      at = at->second.empty() && classes->size() > kFew ? classes->erase(at) : std::next(at);
    }
}

}  // namespace photofinish
