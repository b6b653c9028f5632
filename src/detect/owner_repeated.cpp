// Pairs of groups of repeated accesses (detect/repeated_accesses.h).
#include <algorithm>
#include <unordered_map>

#include "detect/owner.h"
#include "memory/overlap.h"
#include "order/keys.h"

namespace photofinish {

// A group of repeated accesses is identified by its row.
void Owner::form_groups(std::vector<std::uint32_t>& items) {
  const auto earlier = [&](std::uint32_t a, std::uint32_t b) {
    const Access &one = items_[a].access, &other = items_[b].access;
    return std::tuple(one.rank, one.begin) < std::tuple(other.rank, other.begin);
  };
  if (!std::is_sorted(items.begin(), items.end(), earlier))
    std::stable_sort(items.begin(), items.end(), earlier);
  rows_.clear();
  row_like_.clear();
  repeated_.clear();
  met_groups_.clear();
  row_of_.resize(items_.size());
  next_in_row_.resize(items_.size());
  const bool apart = pairs_ == Pairs::Own && timeline_.has_tasks();
  const auto continues = [&](const Item& last, const Item& item) {
    return !apart && last.seen == item.seen && last.met == item.met &&
           (pairs_ == Pairs::Own || last.from == item.from) && alike(last.access, item.access) &&
           goes_on(last.begins, item.begins) && goes_on(last.ends, item.ends) &&
           std::equal(
               last.begins.begin(), last.begins.end(), item.begins.begin(),
               [](const Instant& a, const Instant& b) { return a.sync_point == b.sync_point; });
  };
  for (const std::uint32_t i : items) {
    const std::uint64_t likeness_here =
        likeness(items_[i].access) + (items_[i].seen ? 1 : 0) + (items_[i].met ? 2 : 0);
    const auto [like, fresh] =
        row_like_.try_emplace(likeness_here, static_cast<std::uint32_t>(rows_.size()));
    if (!fresh && continues(items_[rows_[like->second].last], items_[i])) {
      Row& row = rows_[like->second];
      next_in_row_[row.last] = i;
      row.last = i;
      ++row.count;
    } else {
      like->second = static_cast<std::uint32_t>(rows_.size());
      rows_.push_back({i, i, 1});
    }
    row_of_[i] = like->second;
  }
}

RepeatedAccess& Owner::group_at(std::size_t number, const Candidates& candidates) {
  std::shared_ptr<RepeatedAccess>& repeated = repeated_[number];
  if (repeated != nullptr) return *repeated;
  const Row& row = rows_[number];
  const Item& first = items_[row.first];
  repeated = std::make_shared<RepeatedAccess>(
      RepeatedAccess{.like = first.access, .seen = first.seen, .met = first.met});
  for (std::uint32_t i = row.first, left = row.count; left > 0; i = next_in_row_[i], --left) {
    const Item& item = items_[i];
    repeated->items.push_back(i);
    repeated->members.push_back({item.access.begin, item.access.end, item.access.known,
                                 item.access.epoch, item.access.delivery, item.begins, item.ends,
                                 shown(item.access, candidates)});
  }
  return *repeated;
}

// All pairs of two groups; within one group, all pairs of an access and an earlier one.
void Owner::pair_groups(Candidates& candidates, std::size_t a, std::size_t b, bool separate) {
  if (b < a) std::swap(a, b);
  if (!met_groups_.emplace(a, b, separate).second) return;
  const RepeatedAccess &one = group_at(a, candidates), &other = group_at(b, candidates);
  const Access &first = one.like, &second = other.like;
  if ((one.met && other.met) || (one.seen && other.seen)) return;
  if (pairs_ == Pairs::WithOthers && is_own(first) && is_own(second)) return;
  if (separate) return pair_each(candidates, one, other, true);
  // Two tasks of a rank have no common sequence of timestamps.
  if (first.rank == second.rank && task_of(first.begin) != task_of(second.begin))
    return pair_each(candidates, one, other, false);
  std::optional<Meeting> meeting;
  for (std::size_t x = 0; x < first.footprint.size(); ++x)
    for (std::size_t y = 0; y < second.footprint.size(); ++y)
      if (const auto here = meeting_of(first, second, first.footprint[x], second.footprint[y]);
          here && (!meeting || here->key() < meeting->key()))
        meeting = here;
  if (!meeting || !shard_.contains(meeting->where.begin) ||
      (shard_ != Shard{} && met_below_shard(first, second)))
    return;
  const bool one_shown = one.was_shown(), other_shown = other.was_shown();
  // The results of the two groups may be in different orders.
  if (one_shown && other_shown && !(one.shown_in_order() && other.shown_in_order()))
    return pair_each(candidates, one, other, false);
  const auto excludes = [](const Access& access) {
    return access.locks != nullptr && std::any_of(access.locks->begin(), access.locks->end(),
                                                  [](const Lock& lock) { return lock.exclusive; });
  };
  if (first.rank != second.rank) {
    if (protected_by_common_lock(first, second)) return;
  }
  // A group that is shown alone may be out of order: it comes first.
  const bool other_first =
      other_shown != one_shown ? other_shown : other.members.size() < one.members.size();
  if (first.rank == second.rank && excludes(first) && excludes(second))
    return pair_beside(candidates, other_first ? other : one, other_first ? one : other);
  judge_groups(candidates, other_first ? b : a, other_first ? a : b, meeting->reason,
               meeting->where);
}

void Owner::pair_each(Candidates& candidates, const RepeatedAccess& a, const RepeatedAccess& b,
                      bool separate) {
  for (std::size_t i = 0; i < a.items.size(); ++i)
    for (std::size_t j = 0; j < (&a == &b ? i : b.items.size()); ++j)
      for (std::size_t x = 0; x < a.like.footprint.size(); ++x)
        for (std::size_t y = 0; y < b.like.footprint.size(); ++y)
          meet(candidates, a.items[i], b.items[j], x, y, separate);
}

// The pairs whose order is not certain. Two accesses of a rank under exclusive locks may have been
// made under the same one, which orders nothing, or one after the other.
void Owner::pair_beside(Candidates& candidates, const RepeatedAccess& one,
                        const RepeatedAccess& others) {
  for (std::size_t at = 0; at < one.members.size(); ++at) {
    const auto [first, last] =
        others.beside(one, one.members[at], [](const Instant&, const Instant&) { return kNever; });
    for (std::size_t i = first; i < (&one == &others ? std::min(last, at) : last); ++i)
      for (std::size_t x = 0; x < one.like.footprint.size(); ++x)
        for (std::size_t y = 0; y < others.like.footprint.size(); ++y)
          meet(candidates, one.items[at], others.items[i], x, y, false);
  }
}

void Owner::judge_groups(Candidates& candidates, std::size_t one_row, std::size_t other_row,
                         Reason reason, const ByteRange& where) {
  RepeatedAccess &one = group_at(one_row, candidates), &others = group_at(other_row, candidates);
  const auto ask_all = [&](std::size_t first, std::size_t last, const Instant& about) {
    auto asked = std::find_if(others.asked.begin(), others.asked.end(), [&](const auto& a) {
      return a.about == about.rank && a.task == task_of(about.timestamp);
    });
    if (asked == others.asked.end())
      asked = others.asked.insert(asked, {about.rank, task_of(about.timestamp), first, first});
    const auto ask_some = [&](std::size_t from, std::size_t to) {
      for (; from < to; ++from)
        for (const Instant& begin : others.members[from].begins)
          if (begin.rank != about.rank) ask(candidates, begin, about);
    };
    ask_some(first, std::min(last, asked->first));
    ask_some(std::max(first, asked->last), last);
    // Also ask for the members between two queried ranges, so that the range stays contiguous.
    ask_some(last, asked->first);
    ask_some(asked->last, first);
    asked->first = std::min(asked->first, first);
    asked->last = std::max(asked->last, last);
  };
  const auto judge_some = [&](std::size_t at, std::size_t first, std::size_t last) {
    if (first >= last) return;
    const RepeatedAccess::Member& member = one.members[at];
    bool asked = false;
    // Later members are observed by the same tasks, or fewer.
    const auto ask_whether_over = [&](const Instant& end) {
      for (const Instant& begin : member.begins)
        if (begin.rank != end.rank) ask(candidates, begin, end), asked = true;
    };
    for (const Instant& end : others.members[first].ends) ask_whether_over(end);
    for (const Instant& end : others.members[first].shown) ask_whether_over(end);
    const Instants& begins = others.members[first].begins;
    const auto ask_about = [&](const Instant& end) {
      if (std::all_of(begins.begin(), begins.end(),
                      [&](const Instant& begin) { return begin.rank == end.rank; }))
        return;
      ask_all(first, last, end);
      asked = true;
    };
    for (const Instant& end : member.ends) ask_about(end);
    for (const Instant& end : member.shown) ask_about(end);
    if (asked) {
      candidates.repeated.push_back(
          {repeated_[one_row], repeated_[other_row], at, first, last, reason, where});
      return;
    }
    Finding finding = make_finding(one.member(at), others.member(first), reason, where);
    finding.times = last - first;
    found(std::move(finding));
  };
  const bool same = &one == &others;
  const bool may_be_one =
      !same && one.like.rank == others.like.rank && one.like.part == others.like.part;
  for (std::size_t at = 0; at < one.members.size(); ++at) {
    auto [first, last] =
        others.beside(one, one.members[at], [](const Instant&, const Instant&) { return kNever; });
    if (same) last = std::min(last, at);
    std::size_t itself = last;  // two buffers of the same operation
    if (may_be_one) {
      const auto found = std::partition_point(
          others.members.begin(), others.members.end(),
          [&](const RepeatedAccess::Member& m) { return m.begin < one.members[at].begin; });
      if (found != others.members.end() && found->begin == one.members[at].begin)
        itself = static_cast<std::size_t>(found - others.members.begin());
    }
    if (itself < first || itself >= last) {
      judge_some(at, first, last);
    } else {
      judge_some(at, first, itself);
      judge_some(at, itself + 1, last);
    }
  }
}

}  // namespace photofinish
