// Detects the message races of an execution: receives that could have matched another message.
//
// Steps must be added in an order consistent with happens-before (detect/message_sequence.h
// produces one from the steps of each rank). Each rank's clock advances when it completes a receive
// or a synchronous send. Each inbox checks its own receives. Invariant: a rank's clock counts, per
// rank, the completions that happen before its next step. Memory: outstanding operations, and the
// latest match per call site, source and tag of wildcard receives.
//
// Misses: nothing of what docs/internals/message-races.md defines. False reports: order that no
// step shows (Limits, there).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "detect/inbox.h"

namespace photofinish {

// Races that differ only in rank and iteration: the first one, and their number.
struct MessageRaceClass {
  MessageRace first;
  std::uint64_t count = 0;
  std::set<WorldRank> ranks;  // of all of them
};

class MessageRaces {
 public:
  explicit MessageRaces(std::int32_t ranks);

  struct Send {
    std::uint32_t index = 0;  // valid until it is matched; a synchronous one until it is complete
  };
  struct Receive {
    std::uint32_t inbox = 0;
    Inbox::ReceiveId id = 0;
  };

  Send send(const MessageEnd& end, Uid comm, WorldRank to, SendMode mode);
  Receive receive(const MessageEnd& end, Uid comm, Wanted wanted);
  void match(Send send, Receive receive);
  // Both ends of a match that is about to be added.
  struct Matched {
    Uid comm;
    Wanted wanted;
    MessageEnd send, receive;
  };
  Matched ends(Send send, Receive receive);
  void complete(Receive receive);
  // Relevant for synchronous sends only.
  void complete(Send send);
  // The request was freed: it is never waited for.
  void free(Send send);
  void cancel(Receive receive);
  // The send was never matched and never will be.
  void cancel(Send send);
  void probe(const MessageEnd& end, Uid comm, Wanted wanted, Send saw);
  void release(WorldRank rank, std::uint64_t key);
  void acquire(WorldRank rank, std::uint64_t key);
  void forget(std::uint64_t key) { released_.erase(key); }
  // Everything released with `key` is from now on also released with `into`.
  void fold(std::uint64_t key, std::uint64_t into);
  void finish();

  std::vector<MessageRaceClass> races() const;
  // Current memory use.
  struct Held {
    std::size_t sends = 0, receives = 0, kept = 0, clock_bytes = 0;
    std::size_t bytes = 0;  // approximate total
  };
  Held held() const;

 private:
  struct Outgoing {
    WorldRank rank;
    std::uint32_t inbox = 0;
    Inbox::SendId id = 0;
    bool synchronous = false, matched = false;
    SharedClock released_clock;
    std::vector<Inbox::KeptRef> before;
  };
  struct Rank {
    SharedClock clock;
    ClockPool::Time time = 0;  // number of completions
    std::uint64_t sends = 0;
  };

  Rank& rank(WorldRank rank) { return ranks_[static_cast<std::size_t>(rank.value)]; }
  std::uint32_t inbox_of(WorldRank rank, Uid comm);
  ClockPool::Time tick(Rank& rank) {
    return rank.time < ClockPool::kLast ? ++rank.time : rank.time;
  }
  void add(const MessageRace& race);

  ClockPool pool_;
  std::vector<Rank> ranks_;
  std::deque<Inbox> inboxes_;
  std::vector<WorldRank> inbox_rank_;
  struct InboxKey {
    WorldRank rank;
    Uid comm;
    bool operator==(const InboxKey&) const = default;
  };
  struct InboxHash {
    std::size_t operator()(const InboxKey& key) const {
      return static_cast<std::size_t>(
          (key.comm.value * 0x9e3779b97f4a7c15u + static_cast<std::uint32_t>(key.rank.value)) *
              0x9e3779b97f4a7c15u >>
          17);
    }
  };
  std::unordered_map<InboxKey, std::uint32_t, InboxHash> inbox_index_;
  std::vector<Outgoing> sends_;
  std::vector<std::uint32_t> free_sends_;
  std::unordered_map<std::uint64_t, SharedClock> released_;
  Inbox::Match match_;
  // By call site of the receive and of the other send.
  std::map<std::pair<std::uint64_t, std::uint64_t>, MessageRaceClass> races_;
};

}  // namespace photofinish
