// The pairs of a shard that may race: spans that overlap, of groups that conflict, of accesses that
// sync points do not order.
#include <algorithm>

#include "detect/owner.h"

namespace photofinish {

void Owner::set_spans(Groups& groups) {
  spans_.clear();
  footprint_.clear();
  const auto add_span = [&](std::uint32_t i, std::uint32_t b, std::int64_t begin, std::int64_t end,
                            std::uint32_t group) {
    if (!shard_.touches(begin, end)) return;
    spans_.push_back({static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end),
                      static_cast<std::uint32_t>(footprint_.size()), group});
    footprint_.emplace_back(i, b);
  };
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    const Access& access = item.access;
    item.first_span = spans_.size();
    for (std::uint32_t b = 0; b < access.footprint.size(); ++b) {
      const ByteRange range = access.footprint.bounds(b);
      add_span(i, b, range.begin, range.end, groups.of(access, b, 0));
    }
    if (const RegionTraits* region = region_of(access); meets_stores_anywhere(access, region))
      add_span(i, 0, static_cast<std::int64_t>(region->base),
               static_cast<std::int64_t>(region->base + region->size), Groups::AnyUpdate);
    item.last_span = spans_.size();
    item.from = 0;
    item.to = kNever;
    if (pairs_ == Pairs::Own) {
      if (timeline_.has_tasks()) continue;  // timestamps of tasks have no common order
      item.from = access.begin;
      item.to = access.end;
      continue;
    }
    for (const Instant& begin : item.begins) item.from = std::max(item.from, begin.sync_point);
    for (const Instant& end : item.ends) item.to = std::min(item.to, end.sync_point - 1);
  }
}

// Visits all pairs of accesses that share bytes, conflict by kind, and are not separated by phases
// (pairs of the owner itself: by its timestamps). So accesses of a loop are paired with those near
// in time, not with all earlier ones.
void Owner::pair_all(Candidates& candidates, Groups& groups) {
  set_spans(groups);
  const GroupConflicts& conflicts = groups.conflicts();
  std::vector<std::uint32_t> order(items_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return items_[a].from < items_[b].from;
  });
  std::vector<std::uint32_t> open;  // from earlier rounds, and still open
  constexpr std::size_t kFew = 128, kSingly = 4;
  for (std::size_t first = 0; first < order.size();) {
    const std::uint64_t now = items_[order[first]].from;
    std::erase_if(open, [&](std::uint32_t i) { return items_[i].to < now; });
    std::size_t last = first + 1;
    while (last < order.size() && items_[order[last]].from == now) ++last;
    // With many open accesses, comparing each with each new one would take longer than one sweep
    // over as many new ones.
    if (open.size() > kFew) last = std::max(last, std::min(order.size(), first + open.size()));
    const std::span<const std::uint32_t> fresh(order.data() + first, last - first);
    if (fresh.size() <= kSingly && open.size() <= kFew)
      pair_singly(candidates, conflicts, open, fresh);
    else
      pair_together(candidates, conflicts, open, fresh);
    const std::uint64_t next = last < order.size() ? items_[order[last]].from : kNever;
    for (const std::uint32_t i : fresh)
      if (items_[i].to >= next) open.push_back(i);
    first = last;
  }

  for (const auto& [pair, meeting] : met_) {
    const Item& one = items_[pair.first];
    const Item& other = items_[pair.second];
    if (!shard_.contains(meeting.where.begin) ||
        (shard_ != Shard{} && met_below_shard(one.access, other.access)))
      continue;
    judge(candidates, one, other, meeting.reason, meeting.where);
  }
}

void Owner::pair_spans(Candidates& candidates, const Span& a, const Span& b) {
  const auto [item_a, strided_a] = footprint_[a.item];
  const auto [item_b, strided_b] = footprint_[b.item];
  meet(candidates, item_a, item_b, strided_a, strided_b,
       a.group == Groups::AnyUpdate || b.group == Groups::AnyUpdate);
}

void Owner::pair_singly(Candidates& candidates, const GroupConflicts& conflicts,
                        std::span<const std::uint32_t> open, std::span<const std::uint32_t> order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Item& fresh = items_[order[i]];
    const auto check_at = [&](const Item& other) {
      for (std::size_t x = fresh.first_span; x < fresh.last_span; ++x)
        for (std::size_t y = other.first_span; y < other.last_span; ++y)
          if (spans_[x].begin < spans_[y].end && spans_[y].begin < spans_[x].end &&
              conflicts.conflict(spans_[x].group, spans_[y].group))
            pair_spans(candidates, spans_[x], spans_[y]);
    };
    for (const std::uint32_t other : open) check_at(items_[other]);
    for (std::size_t j = 0; j < i; ++j) check_at(items_[order[j]]);
  }
}

void Owner::pair_together(Candidates& candidates, const GroupConflicts& conflicts,
                          std::span<const std::uint32_t> open,
                          std::span<const std::uint32_t> fresh) {
  for (const std::uint32_t i : open) items_[i].met = true;
  std::vector<std::uint32_t> together(open.begin(), open.end());
  together.insert(together.end(), fresh.begin(), fresh.end());
  form_groups(together);
  std::vector<Span> round;
  for (const Row& row : rows_) {
    const Item& item = items_[row.first];
    round.insert(round.end(), spans_.begin() + static_cast<std::ptrdiff_t>(item.first_span),
                 spans_.begin() + static_cast<std::ptrdiff_t>(item.last_span));
  }
  sweeper_.sweep(round, conflicts, [&](const Span& a, const Span& b) {
    const std::uint32_t i = footprint_[a.item].first, j = footprint_[b.item].first;
    const Item& one = items_[i];
    const Item& other = items_[j];
    if (one.met && other.met) return;
    if (rows_[row_of_[i]].count > 1 || rows_[row_of_[j]].count > 1)
      return pair_groups(candidates, row_of_[i], row_of_[j],
                         a.group == Groups::AnyUpdate || b.group == Groups::AnyUpdate);
    if (one.to < other.from || other.to < one.from) return;
    pair_spans(candidates, a, b);
  });
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    if (rows_[row].count == 1 || items_[rows_[row].first].met) continue;
    const Item& item = items_[rows_[row].first];
    bool is_in_conflict = false;
    for (std::size_t x = item.first_span; x < item.last_span; ++x)
      for (std::size_t y = item.first_span; y < item.last_span; ++y)
        is_in_conflict |= conflicts.conflict(spans_[x].group, spans_[y].group);
    if (is_in_conflict) pair_groups(candidates, row, row, false);
  }
}

}  // namespace photofinish
