#include "group/order.h"

#include <algorithm>
#include <map>

namespace photofinish::group {
namespace {

// Of the syncs that an event takes part in.
struct Parts {
  std::vector<std::size_t> releases, acquires;
};

void join(std::vector<std::uint32_t>& clock, const std::vector<std::uint32_t>& more) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], more[i]);
}

}  // namespace

Order::Order(const Execution& execution) : execution_(execution), clocks_(execution.ranks.size()) {
  const std::size_t ranks = execution.ranks.size();
  std::map<EventId, Parts> parts;
  std::vector<std::size_t> missing;  // by sync: releases that have not been reached
  std::vector<std::vector<std::uint32_t>> released(execution.syncs.size(),
                                                   std::vector<std::uint32_t>(ranks));
  for (std::size_t i = 0; i < execution.syncs.size(); ++i) {
    for (const EventId& event : execution.syncs[i].releases) parts[event].releases.push_back(i);
    for (const EventId& event : execution.syncs[i].acquires) parts[event].acquires.push_back(i);
    missing.push_back(execution.syncs[i].releases.size());
  }
  std::vector<std::vector<std::uint32_t>> clock(ranks, std::vector<std::uint32_t>(ranks));
  std::vector<std::map<EventId, Parts>::iterator> next;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) next.push_back(parts.lower_bound({rank, 0}));
  const auto advance = [&](std::uint32_t rank, bool by_force) {
    const auto at = next[rank];
    if (at == parts.end() || at->first.rank != rank) return false;
    if (!by_force)
      for (const std::size_t sync : at->second.acquires)
        if (missing[sync] > 0) return false;
    for (const std::size_t sync : at->second.acquires) join(clock[rank], released[sync]);
    clock[rank][rank] = at->first.index + 1;
    if (!at->second.acquires.empty()) clocks_[rank].push_back({at->first.index, clock[rank]});
    for (const std::size_t sync : at->second.releases) {
      join(released[sync], clock[rank]);
      --missing[sync];
    }
    ++next[rank];
    return true;
  };
  for (;;) {
    bool moved = false;
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      while (advance(rank, false)) moved = true;
    for (std::uint32_t rank = 0; rank < ranks && !moved; ++rank) moved = advance(rank, true);
    if (!moved) return;
  }
}

std::uint32_t Order::known(EventId event, std::uint32_t rank) const {
  if (rank == event.rank) return event.index;
  const std::vector<Clock>& clocks = clocks_[event.rank];
  const auto later =
      std::upper_bound(clocks.begin(), clocks.end(), event.index,
                       [](std::uint32_t index, const Clock& clock) { return index < clock.index; });
  return later == clocks.begin() ? 0 : std::prev(later)->known[rank];
}

bool Order::is_acquire(EventId event) const {
  const std::vector<Clock>& clocks = clocks_[event.rank];
  const auto at =
      std::lower_bound(clocks.begin(), clocks.end(), event.index,
                       [](const Clock& clock, std::uint32_t index) { return clock.index < index; });
  return at != clocks.end() && at->index == event.index;
}

bool Order::precedes(EventId a, EventId b) const {
  const Event& first = execution_.ranks[a.rank][a.index];
  const Event& second = execution_.ranks[b.rank][b.index];
  if (first.initial && first.cell != kNoCell && first.cell == second.cell) return !second.initial;
  if (!first.pending) return a.rank == b.rank ? a.index < b.index : a.index < known(b, a.rank);
  if (a.rank == b.rank)
    for (std::uint32_t at = second.after; at != kNone && at >= a.index;
         at = execution_.ranks[b.rank][at].after)
      if (at == a.index) return true;
  if (first.until == kNone) return false;
  return a.rank == b.rank ? first.until <= b.index : first.until < known(b, a.rank);
}

}  // namespace photofinish::group
