// Findings of an owner, and the ends of accesses that they name.
#include <algorithm>

#include "detect/owner.h"
#include "memory/overlap.h"

namespace photofinish {
namespace {

std::uint64_t bytes_of(const Access& access) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < access.footprint.size(); ++i)
    bytes += static_cast<std::uint64_t>(access.footprint[i].bytes());
  return bytes;
}

// Empty if the footprint has gaps.
ByteRange contiguous_range(const Access& access) {
  if (access.footprint.size() != 1) return {};
  const ByteRange range = access.footprint.bounds(0);
  return range.end - range.begin == access.footprint[0].bytes() ? range : ByteRange{};
}

std::vector<AccessLock> held_locks(const Access& access) {
  std::vector<AccessLock> held;
  if (access.locks != nullptr)
    for (const Lock& lock : *access.locks) held.push_back({lock.win, lock.target, lock.exclusive});
  return held;
}

}  // namespace

Finding Owner::make_finding(const Access& a, const Access& b, Reason reason,
                            const ByteRange& where) const {
  Finding finding;
  finding.reason = reason;
  const auto offset_in = [&](Uid win) -> std::int64_t {
    const RegionTraits* const region = win == Uid(0) ? nullptr : timeline_.region(win);
    return region == nullptr ? 0 : where.begin - static_cast<std::int64_t>(region->base);
  };
  const Access* accesses[] = {&a, &b};
  // A fixed order, so that findings do not depend on the order of the arguments.
  const auto age = [](const Access& access) {
    return std::tuple(access.rank, access.begin, access.part);
  };
  if (age(b) < age(a)) std::swap(accesses[0], accesses[1]);
  for (int i = 0; i < 2; ++i) {
    const Access& access = *accesses[i];
    finding.sides[i] = {.rank = access.rank,
                        .kind = access.kind,
                        .call = access.call,
                        .site = access.site,
                        .site_key = access.site_key,
                        .opened = access.opened,
                        .closed = access.closed,
                        .begin = access.begin,
                        .end = access.end,
                        .part = access.part,
                        .bytes = bytes_of(access),
                        .range = contiguous_range(access),
                        .op = access.op,
                        .epoch = access.epoch,
                        .win = access.win,
                        .offset = offset_in(access.win),
                        .locks = held_locks(access)};
    finding.ranks.insert(access.rank);
    if (access.win != Uid(0)) finding.win = access.win;
  }
  finding.owner = rank_;
  finding.owners.insert(rank_);
  finding.where = where;
  finding.offset = offset_in(finding.win);
  return finding;
}

void Owner::found(Finding finding) {
  findings_.push_back(std::move(finding));
  if (findings_.size() < merge_at_) return;
  findings_ = merge_findings(std::move(findings_));
  merge_at_ = std::max<std::size_t>(1024, 2 * findings_.size());
}

void Owner::note_end(const Access& access) {
  if (access.end != kNever || access.closed != SiteId())
    ends_[{access.rank, access.begin, access.part, access.kind}] = {access.end, access.closed};
}

// A race may be found before one of its accesses is complete. When that access ends, and at which
// call, is known only in a later period.
void Owner::settle_ends() {
  if (ends_.empty()) return;
  const auto settle = [&](Finding& finding) {
    for (FindingSide& side : finding.sides) {
      if (side.end != kNever || side.closed != SiteId()) continue;
      const auto end = ends_.find({side.rank, side.begin, side.part, side.kind});
      if (end == ends_.end()) continue;
      side.end = end->second.timestamp;
      side.closed = end->second.closed;
    }
  };
  bool more_to_come = false;  // from the access records of their period
  for (Finding& finding : findings_) settle(finding);
  for (auto& [period, candidates] : candidates_) {
    for (Undecided& undecided : candidates.undecided) settle(undecided.finding);
    more_to_come = more_to_come || !candidates.repeated.empty();
  }
  if (!more_to_come) ends_.clear();
}

std::vector<Finding> Owner::take_findings() {
  std::vector<Finding> findings = merge_findings(std::exchange(findings_, {}));
  for (Finding& finding : findings)
    for (FindingSide& side : finding.sides) {
      side.part = 0;  // has no meaning outside of the detector
      side.task = task_of(side.begin);
      side.begin = half_of(side.begin);
      if (side.end != kNever) side.end = half_of(side.end);
    }
  return findings;
}

}  // namespace photofinish
