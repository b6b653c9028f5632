// Merges findings. For a user, one race is two access sites; the counts and ranks are details.
//
// Invariant: every comparison is a total order over all members of a finding. So equal inputs in
// any order and any grouping (each rank merges its own findings first) give equal results.
#include "model/finding.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

namespace photofinish {
namespace {

using Location = std::tuple<std::uint64_t, AccessKind, Call>;
using Key = std::tuple<Location, Location, Reason>;

bool is_local(AccessKind kind) { return kind == AccessKind::Load || kind == AccessKind::Store; }
Location location(const FindingSide& side) { return {side.site_key, side.kind, side.call}; }

Key key(const Finding& finding) {
  const auto [first, second] =
      std::minmax({location(finding.sides[0]), location(finding.sides[1])});
  // Whether the same rank or another one made the second access is a detail, too.
  return {first, second, finding.reason == Reason::NotComplete ? Reason::NoOrder : finding.reason};
}

// The order in reports. The members after `begin` only make it total.
auto telling_order(const FindingSide& s) {
  return std::tuple(is_local(s.kind), s.rank, s.begin, s.kind, s.call, s.site_key, s.site, s.opened,
                    s.closed, s.end, s.part, s.bytes, s.op, s.epoch.kind, s.epoch.index, s.win,
                    s.offset, s.locks);
}

// Addresses come last, since they differ between runs.
auto example_order(const Finding& f) {
  const FindingSide &a = f.sides[0], &b = f.sides[1];
  return std::tuple(f.owner, a.rank, b.rank, a.begin, b.begin, f.reason, telling_order(a),
                    telling_order(b), f.offset, f.win, f.where.begin, f.where.end);
}

std::uint64_t sum(std::uint64_t a, std::uint64_t b) {
  return a > std::numeric_limits<std::uint64_t>::max() - b
             ? std::numeric_limits<std::uint64_t>::max()
             : a + b;
}

void canonicalise(Finding& finding) {
  FindingSide(&sides)[2] = finding.sides;
  if (telling_order(sides[1]) < telling_order(sides[0])) std::swap(sides[0], sides[1]);
  finding.ranks.insert({sides[0].rank, sides[1].rank});
  finding.owners.insert(finding.owner);
}

template <class Times>
void absorb(Finding& into, Finding&& other, Times times) {
  const std::uint64_t both = times(into.times, other.times);
  // What orders two ranks also orders two accesses of one, but not the other way round.
  const auto worth = [](const Finding& f) {
    return std::tuple(f.sides[0].rank == f.sides[1].rank, example_order(f));
  };
  if (worth(other) < worth(into)) std::swap(into, other);
  into.times = both;
  into.ranks.merge(other.ranks);
  into.owners.merge(other.owners);
}

template <class Times>
std::vector<Finding> merge(std::vector<Finding> findings, Times times) {
  std::map<Key, Finding> merged;
  for (Finding& finding : findings) {
    canonicalise(finding);
    const Key of = key(finding);
    if (const auto found = merged.find(of); found != merged.end())
      absorb(found->second, std::move(finding), times);
    else
      merged.emplace(of, std::move(finding));
  }
  std::vector<Finding> result;
  result.reserve(merged.size());
  for (auto& [of, finding] : merged) result.push_back(std::move(finding));
  std::sort(result.begin(), result.end(),
            [](const Finding& a, const Finding& b) { return example_order(a) < example_order(b); });
  return result;
}

}  // namespace

std::vector<Finding> merge_findings(std::vector<Finding> findings) {
  return merge(std::move(findings), sum);
}

std::vector<Finding> unite_findings(std::vector<Finding> one, std::vector<Finding> other) {
  one.insert(one.end(), std::make_move_iterator(other.begin()),
             std::make_move_iterator(other.end()));
  return merge(std::move(one), [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
}

}  // namespace photofinish
