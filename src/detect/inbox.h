// The receives of one rank on one communicator: computes the order of matches, and which other
// message each receive could have matched.
//
// Rule (docs/internals/message-races.md, "Which pairs race"): a receive r with match m could have
// matched a send s of another rank if
// - s fits r, was not matched by a receive before r, and is the first such send of its rank,
// - m does not happen before s, and
// - m does not happen before a match that would have to come first: of an earlier fitting send of
//   that rank, or of an earlier receive that fits s.
//
// Invariants:
// - `window_` is the receive window, in posting order: open receives, and those for whose
//   completion an open receive did not wait. Only their matches can be related to later ones.
// - `by_wanted_` and `by_sender_` index the window by wanted and by matched source and tag. Only
//   the latest of each class needs to be checked.
// - `kept_` holds candidate matches. For each call site, source and tag these are the latest, and
//   those that an open receive separates from it.
// - Matches are added in an order consistent with happens-before: everything that precedes a match
//   or completion is added first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/message.h"
#include "order/shared_clock.h"

namespace photofinish {

struct MessageRace {
  Taker taker = Taker::Receive;
  Uid comm;
  Wanted wanted;
  MessageEnd receive;
  MessageEnd got;                // rank kProcNull: the receive was cancelled
  MessageEnd other;              // what it could have matched
  bool other_unmatched = false;  // no receive ever matched that one
};

// A send, as seen by its receiver.
struct Incoming {
  MessageEnd end;
  std::uint64_t number = 0;  // increases in program order of its rank
  SharedClock clock;         // the rank's clock when it was posted
};

// Completions that follow a match, as times of ranks. The match precedes everything whose clock has
// reached one of them.
using Releases = std::vector<std::pair<WorldRank, ClockPool::Time>>;

class Inbox {
 public:
  using ReceiveId = std::uint64_t;  // increases in program order; valid until the receive completes
  using SendId = std::uint32_t;     // valid until the match

  Inbox(WorldRank rank, Uid comm) : rank_(rank), comm_(comm) {}
  Uid comm() const { return comm_; }

  struct KeptRef {
    std::uint32_t index = 0;
    std::uint32_t generation = 0;
  };
  struct Match {
    // Of the message: joins the sender's clock and those of matches that had to come first.
    SharedClock clock;
    // Matches that it follows, including itself: all are released when it is.
    std::vector<KeptRef> before;
  };

  SendId sent(Incoming send);
  ReceiveId posted(Wanted wanted, const MessageEnd& end, const SharedClock& clock);
  // Fills in `match`, which the completion of the send or receive joins and passes to `released`.
  template <class Report>
  void matched(SendId send, ReceiveId receive, Match& match, Report report);
  // The send was cancelled. It is not reported as a possible match, since it may have been gone.
  void withdrawn(SendId send);
  // The receive will never match a message. `clock` is the rank's clock at the cancellation.
  void cancelled(ReceiveId receive, const SharedClock& clock);
  // A probe that saw a message. It completes at once.
  template <class Report>
  void probed(SendId send, Wanted wanted, const MessageEnd& end, Match& match, Report report);
  // The receive is complete; the rank's next step has this time. Sets `clock` to the clock that the
  // receive acquires.
  void completed(ReceiveId receive, ClockPool::Time time, SharedClock& clock);
  // `rank` completes all of these matches at `time`.
  void released(const std::vector<KeptRef>& matches, WorldRank rank, ClockPool::Time time);
  // No further events: messages that were never received are possible matches, too.
  template <class Report>
  void finish(Report report);

  // Drops matches that precede everything that any rank can still send. clocks(rank) is the rank's
  // current clock.
  template <class Clocks>
  void forget_known(std::size_t ranks, Clocks clocks);
  bool crowded() const { return kept_count_ > crowd_; }

  const MessageEnd& end_of(SendId send) const { return sends_[send].incoming.end; }
  std::pair<Wanted, MessageEnd> posted_as(ReceiveId receive) {
    const Received& received = find(receive);
    return {received.wanted, received.end};
  }
  // The rank's clock when it posted the receive. Only synchronous senders need it.
  SharedClock take_posted_clock(ReceiveId receive) { return std::move(find(receive).posted_clock); }
  std::size_t kept() const { return kept_count_; }
  // Approximate memory use.
  std::size_t bytes() const {
    return window_.capacity() * (sizeof(Received) + 2 * sizeof(ReceiveId)) +
           kept_.capacity() * sizeof(Kept) + sends_.capacity() * (sizeof(Sent) + sizeof(SendId)) +
           pending_.capacity() * sizeof(Pending) +
           (by_wanted_.size() + by_sender_.size()) * (sizeof(Class) + 64);
  }
  std::size_t window() const { return window_.size(); }
  bool idle() const { return window_.empty() && kept_count_ == 0 && unmatched_ == 0; }

 private:
  struct Received {
    ReceiveId id = 0;
    ReceiveId completed_at = ~ReceiveId{0};  // receives posted from here on waited for it
    Wanted wanted;
    bool matched = false;
    WorldRank from;  // source of the message, if matched
    std::int64_t tag = 0;
    std::uint64_t send_number = 0;
    MessageEnd end;
    SharedClock posted_clock;
    SharedClock clock;
    std::vector<KeptRef> before;
  };
  struct Late {  // a receive posted before the kept one and matched only after it in happens-before
    Wanted wanted;
    WorldRank from;
    std::int64_t tag = 0;
    std::uint64_t number = 0;
  };
  struct Kept {
    std::uint32_t generation = 0;
    bool used = false;
    Taker taker{};
    ReceiveId id = 0;
    Wanted wanted;
    MessageEnd receive;
    MessageEnd got;
    Releases releases;
    // By rank: its first fitting send that no earlier receive took.
    std::vector<std::pair<WorldRank, std::uint64_t>> settled;
    std::vector<Late> late;
    std::uint32_t pins = 0;  // number of pending pairs
  };
  struct Pending {  // a pair that depends on which receive takes an earlier send of the same rank
    std::uint32_t kept = 0;
    MessageEnd send;
    std::uint64_t number = 0;
  };
  struct Source {
    WorldRank rank;
    std::vector<SendId> unmatched;  // in program order, from `first` on
    std::size_t first = 0;
  };
  struct Sent {
    Incoming incoming;
    std::uint32_t source = 0;
  };

  using ClassKey = std::pair<std::int64_t, WorldRank>;  // tag and source
  using Class = std::vector<ReceiveId>;                 // in posting order
  using Classes = std::map<ClassKey, Class>;

  std::size_t before_in_window(ReceiveId id) const;
  void add_latest(const Class& same, ReceiveId id, const Wanted& wanted, const Incoming& send);
  void sort_into_classes();
  void skip_matched();
  Received& find(ReceiveId id);
  bool must_come_first(const Received& earlier, ReceiveId id, const Wanted& wanted, WorldRank from,
                       std::int64_t tag, std::uint64_t number) const;
  void collect(ReceiveId id, const Wanted& wanted, const Incoming& send, SharedClock& clock,
               std::vector<KeptRef>& before);
  static bool before(const Releases& releases, const SharedClock& clock);
  bool blocked(const Kept& kept, WorldRank rank, std::int64_t tag, std::uint64_t number) const;
  enum class Earlier { None, Undecided, Stays };
  Earlier earlier_of(const Kept& kept, WorldRank rank, std::uint64_t number) const;
  void note_late(const Received& received, WorldRank from, std::int64_t tag, std::uint64_t number,
                 const SharedClock& clock);
  bool open_receive_before(ReceiveId id, WorldRank from, std::int64_t tag) const;
  template <class Report>
  void consider_all(const Incoming& send, ReceiveId until, bool unmatched, Report report);
  template <class Report>
  void consider(std::uint32_t index, const Incoming& send, bool unmatched, Report report);
  template <class Report>
  void settle_pending(const Incoming& send, ReceiveId receive, const SharedClock& clock,
                      Report report);
  KeptRef keep(Taker taker, const Received& received, const MessageEnd& got);
  void supersede(std::vector<std::uint32_t>& same_tag, std::uint32_t by);
  void forget(std::uint32_t index);
  void clear(std::uint32_t index);
  void trim();
  void remove(SendId id);
  template <class Report>
  void report(const Kept& kept, const MessageEnd& other, bool unmatched, Report report) const;

  const WorldRank rank_;
  const Uid comm_;
  ReceiveId next_ = 1;
  std::vector<Received> window_;
  Classes by_wanted_, by_sender_;
  std::size_t open_at_ = 0;  // position in the window: all receives before it are matched
  std::vector<const Received*> in_, candidates_;  // scratch space of collect()
  std::size_t done_ = 0;                          // completed receives in the window
  std::size_t trim_at_ = 8;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> free_kept_;
  std::unordered_map<std::int64_t, std::vector<std::uint32_t>> kept_by_tag_;
  std::size_t kept_count_ = 0;
  std::size_t crowd_ = 64;
  ReceiveId last_kept_ = 0;
  std::vector<Pending> pending_;
  std::vector<Sent> sends_;
  std::vector<SendId> free_sends_;
  std::unordered_map<WorldRank, std::uint32_t> source_of_;
  std::vector<Source> sources_;
  std::size_t unmatched_ = 0;
};

// ---

template <class Report>
void Inbox::report(const Kept& kept, const MessageEnd& other, bool unmatched, Report report) const {
  report(MessageRace{kept.taker, comm_, kept.wanted, kept.receive, kept.got, other, unmatched});
}

// `send` was not taken by a receive before `until`.
template <class Report>
void Inbox::consider_all(const Incoming& send, ReceiveId until, bool unmatched, Report report) {
  if (kept_count_ == 0) return;
  for (const std::int64_t tag : {send.end.tag, kAnyTag}) {
    const auto found = kept_by_tag_.find(tag);
    if (found == kept_by_tag_.end()) continue;
    for (const std::uint32_t index : found->second)
      if (kept_[index].id < until) consider(index, send, unmatched, report);
  }
}

template <class Report>
void Inbox::consider(std::uint32_t index, const Incoming& send, bool unmatched, Report report) {
  Kept& kept = kept_[index];
  const WorldRank rank = send.end.rank;
  if (kept.got.rank == rank || !kept.wanted.takes(rank, send.end.tag)) return;
  const Earlier earlier = earlier_of(kept, rank, send.number);
  if (earlier == Earlier::Stays) return;
  const auto at =
      std::lower_bound(kept.settled.begin(), kept.settled.end(), std::pair(rank, std::uint64_t{0}));
  if (at != kept.settled.end() && at->first == rank) {
    if (at->second <= send.number) return;
    at->second = send.number;
  } else {
    kept.settled.insert(at, {rank, send.number});
  }
  if (blocked(kept, rank, send.end.tag, send.number) || before(kept.releases, send.clock)) return;
  if (earlier == Earlier::Undecided) {
    if (unmatched) return;  // and it will stay undecided
    ++kept.pins;
    pending_.push_back({index, send.end, send.number});
    return;
  }
  if (unmatched && open_receive_before(kept.id, rank, send.end.tag)) return;
  this->report(kept, send.end, unmatched, report);
}

template <class Report>
void Inbox::settle_pending(const Incoming& send, ReceiveId receive, const SharedClock& clock,
                           Report report) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const Pending pending = pending_[i];
    Kept& kept = kept_[pending.kept];
    bool stays = true;
    if (pending.send.rank == send.end.rank && send.number < pending.number &&
        kept.wanted.takes(send.end.rank, send.end.tag)) {
      if (receive > kept.id || before(kept.releases, clock)) {
        stays = false;
      } else if (earlier_of(kept, pending.send.rank, pending.number) == Earlier::None) {
        this->report(kept, pending.send, false, report);
        stays = false;
      }
    }
    if (stays)
      pending_[left++] = pending;
    else
      --kept.pins;
  }
  pending_.resize(left);
}

template <class Report>
void Inbox::matched(SendId id, ReceiveId receive, Match& match, Report report) {
  const Incoming send = std::move(sends_[id].incoming);
  remove(id);
  Received& received = find(receive);
  collect(receive, received.wanted, send, match.clock, match.before);
  received.matched = true;
  received.from = send.end.rank;
  received.tag = send.end.tag;
  received.send_number = send.number;
  Class& same_sender = by_sender_[{send.end.tag, send.end.rank}];
  same_sender.insert(std::upper_bound(same_sender.begin(), same_sender.end(), receive), receive);
  note_late(received, send.end.rank, send.end.tag, send.number, match.clock);
  consider_all(send, receive, false, report);
  if (!pending_.empty()) settle_pending(send, receive, match.clock, report);
  if (received.wanted.source == kAnySource)
    match.before.push_back(keep(Taker::Receive, received, send.end));
  received.clock = match.clock;
  received.before = match.before;
}

template <class Report>
void Inbox::probed(SendId id, Wanted wanted, const MessageEnd& end, Match& match, Report report) {
  const Incoming send = sends_[id].incoming;
  const ReceiveId probe = next_++;
  collect(probe, wanted, send, match.clock, match.before);
  consider_all(send, probe, false, report);
  if (wanted.source != kAnySource) return;
  Received received;
  received.id = probe;
  received.wanted = wanted;
  received.end = end;
  match.before.push_back(keep(Taker::Probe, received, send.end));
}

template <class Report>
void Inbox::finish(Report report) {
  for (const Source& source : sources_)
    for (std::size_t i = source.first; i < source.unmatched.size(); ++i)
      consider_all(sends_[source.unmatched[i]].incoming, ~ReceiveId{0}, true, report);
}

template <class Clocks>
void Inbox::forget_known(std::size_t ranks, Clocks clocks) {
  for (std::uint32_t index = 0; index < kept_.size(); ++index) {
    const Kept& kept = kept_[index];
    if (!kept.used || kept.pins != 0) continue;
    bool known = true;
    for (std::size_t rank = 0; known && rank < ranks; ++rank)
      known = before(kept.releases, clocks(WorldRank(static_cast<std::int32_t>(rank))));
    for (std::size_t s = 0; known && s < sources_.size(); ++s)
      for (std::size_t i = sources_[s].first; known && i < sources_[s].unmatched.size(); ++i)
        known = before(kept.releases, sends_[sources_[s].unmatched[i]].incoming.clock);
    if (known) forget(index);
  }
  crowd_ = std::max<std::size_t>(64, 2 * kept_count_);
}

}  // namespace photofinish
