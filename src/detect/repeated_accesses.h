// Repeated accesses: those of one rank at one access site, to the same bytes and in the same way,
// in one phase. They are checked as one group.
//
// Example: two ranks each put to one location 10,000 times in a loop. That makes 10^8 pairs, which
// conflict all or not at all. For an access b of one group, the members of the other group that
// complete before b form a prefix. Those that begin after b completes form a suffix, since a rank's
// knowledge only grows. Binary search finds both borders; all members between them race with b.
//
// Invariant: from one member to the next, no instant decreases, at the rank or at the owner, and
// all begin in the same phase. Twin: pair by pair, with Owner::judge
// (tests/unit/detect/repeated_accesses_test.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "effects/timeline.h"
#include "model/access.h"

namespace photofinish {

// The begins or the ends of an access: at most one instant at its rank, and one at the owner.
struct Instants {
  std::array<Instant, 2> all;
  std::size_t count = 0;
  void add(const Instant& instant) { all[count++] = instant; }
  const Instant* begin() const { return all.data(); }
  const Instant* end() const { return all.data() + count; }
};

// `known(begin, end)`: the latest timestamp of end's task that is known at `begin`; kNever if none.
template <class Known>
bool is_before(const Instant& end, const Instant& begin, const Known& known) {
  if (end.rank == begin.rank) return is_over_before(end.timestamp, begin.timestamp, begin.known);
  if (end.sync_point <= begin.sync_point) return true;
  const Timestamp timestamp = known(begin, end);
  return timestamp != kNever && end.timestamp <= timestamp;
}

struct RepeatedAccess {
  struct Member {
    Timestamp begin = 0, end = kNever;
    Knowledge known;
    Epoch epoch;
    Delivery delivery;
    Instants begins, ends;
    std::vector<Instant> shown;  // when ranks observed its effect (Owner::shown)
  };
  Access like;  // the first member
  bool seen = false, met = false;
  std::vector<std::uint32_t> items;  // of the owner, during a check
  std::vector<Member> members;       // in order of their begin
  // Members that have a query about what they know of a rank when they begin.
  struct Asked {
    WorldRank about;
    std::uint32_t task = 0;
    std::size_t first = 0, last = 0;
  };
  std::vector<Asked> asked;

  Access member(std::size_t i) const {
    Access access = like;
    access.begin = members[i].begin;
    access.known = members[i].known;
    access.end = members[i].end;
    access.epoch = members[i].epoch;
    access.delivery = members[i].delivery;
    return access;
  }

  // Whether some effect was observed; and whether each task that observed that of a member had
  // observed those of earlier ones by then.
  bool was_shown() const;
  bool shown_in_order() const;

  // The members that neither complete before `other` of `group` begins, nor begin after it
  // completes. An observed effect is complete for those who know of the observation. Requires:
  // shown_in_order().
  template <class Known>
  std::pair<std::size_t, std::size_t> beside(const RepeatedAccess& group, const Member& other,
                                             const Known& known) const {
    const bool one_rank = like.rank == group.like.rank;
    const auto any_before = [&](const auto& ends, const Instants& begins) {
      for (const Instant& end : ends)
        for (const Instant& begin : begins)
          if (is_before(end, begin, known)) return true;
      return false;
    };
    const auto first = std::partition_point(members.begin(), members.end(), [&](const Member& m) {
      return any_before(m.ends, other.begins) || any_before(m.shown, other.begins) ||
             (one_rank && m.delivery.precedes(other.delivery));
    });
    const auto last = std::partition_point(first, members.end(), [&](const Member& m) {
      return !any_before(other.ends, m.begins) && !any_before(other.shown, m.begins) &&
             !(one_rank && other.delivery.precedes(m.delivery));
    });
    return {static_cast<std::size_t>(first - members.begin()),
            static_cast<std::size_t>(last - members.begin())};
  }
};

// Whether they differ only in time, so that they conflict with the same accesses. Two locks held
// one after the other count as the same.
bool alike(const Access& a, const Access& b);
std::uint64_t likeness(const Access& access);  // hash that is equal for accesses that are alike
bool goes_on(const Instants& earlier, const Instants& later);

}  // namespace photofinish
