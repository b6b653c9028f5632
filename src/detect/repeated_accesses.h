// Accesses that repeat themselves: those of one rank, from one place, to the same bytes and in the
// same way, between two sync points.
//
// A loop that puts to one location ten thousand times, while another rank does the same, makes 10^8
// pairs, and all of them clash alike or not at all. What of a series is over before some timestamp
// is its beginning, and what begins behind some timestamp is its end, since a rank's knowledge only
// grows. So an access has two borders in a series, found by halving, and races with all that lie
// between them. Invariant: from one of a series to the next no instant, at the rank or at the
// owner, goes back, and all begin in the same phase. Twin: the pairs one by one, as Owner::judge
// has them (tests/unit/detect/repeated_accesses_test.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "detect/timeline.h"
#include "model/access.h"

namespace photofinish {

// When an access begins, or is over: at most one instant at the rank that made it, and one at the
// owner.
struct Instants {
  std::array<Instant, 2> all;
  std::size_t count = 0;
  void add(const Instant& instant) { all[count++] = instant; }
  const Instant* begin() const { return all.data(); }
  const Instant* end() const { return all.data() + count; }
};

// `known`: up to which timestamp of the other's task (kNever: none) is known at an instant, as far
// as it is known.
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
    Instants begins, ends;
    std::vector<Instant> shown;  // of an atomic: when others had found its effect
  };
  Access like;  // the first of them
  bool seen = false, met = false;
  std::vector<std::uint32_t> items;  // of the owner, while it looks at them
  std::vector<Member> members;       // in the order they begin
  // Up to where it was asked what they know of a rank, when they begin.
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
    return access;
  }

  // Those that are neither over before `other` begins nor begin when it is over (or its effect was
  // found).
  template <class Known>
  std::pair<std::size_t, std::size_t> beside(const Member& other, const Known& known) const {
    const auto any_before = [&](const auto& ends, const Instants& begins) {
      for (const Instant& end : ends)
        for (const Instant& begin : begins)
          if (is_before(end, begin, known)) return true;
      return false;
    };
    const auto first = std::partition_point(members.begin(), members.end(), [&](const Member& m) {
      return any_before(m.ends, other.begins);
    });
    const auto last = std::partition_point(first, members.end(), [&](const Member& m) {
      return !any_before(other.ends, m.begins) && !any_before(other.shown, m.begins);
    });
    return {static_cast<std::size_t>(first - members.begin()),
            static_cast<std::size_t>(last - members.begin())};
  }
};

// Whether they differ in nothing but when they were made: whatever clashes with one clashes with
// the other. Two locks that are held one after the other count as the same.
bool alike(const Access& a, const Access& b);
std::uint64_t likeness(const Access& access);  // the same of those that are alike
bool goes_on(const Instants& earlier, const Instants& later);

}  // namespace photofinish
