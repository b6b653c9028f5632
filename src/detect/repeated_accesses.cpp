#include "detect/repeated_accesses.h"

namespace photofinish {
namespace {

bool alike(const LockSet& a, const LockSet& b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr) return false;
  return std::equal(a->begin(), a->end(), b->begin(), b->end(),
                    [](const Lock& one, const Lock& other) {
                      return one.win == other.win && one.target == other.target &&
                             one.exclusive == other.exclusive;
                    });
}

bool alike(const Footprint& a, const Footprint& b) {
  if (a.shift() != b.shift() || a.length() != b.length()) return false;
  return a.shared() == b.shared() ||
         (a.shared() != nullptr && b.shared() != nullptr && *a.shared() == *b.shared());
}

}  // namespace

bool alike(const Access& a, const Access& b) {
  return a.rank == b.rank && a.owner == b.owner && a.kind == b.kind && a.reachable == b.reachable &&
         a.pending == b.pending && a.op == b.op && a.element == b.element && a.call == b.call &&
         a.part == b.part && a.site == b.site && a.site_key == b.site_key &&
         a.epoch.kind == b.epoch.kind && a.delivery.lane == b.delivery.lane &&
         (a.delivery.stage == 0) == (b.delivery.stage == 0) && a.win == b.win &&
         a.opened == b.opened && a.closed == b.closed && task_of(a.begin) == task_of(b.begin) &&
         task_of(a.end) == task_of(b.end) && alike(a.footprint, b.footprint) &&
         alike(a.locks, b.locks);
}

std::uint64_t likeness(const Access& access) {
  std::uint64_t hash = 0;
  const auto add = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  };
  add(static_cast<std::uint64_t>(access.rank.value));
  add(access.site_key);
  add(static_cast<std::uint64_t>(access.kind) << 32 | static_cast<std::uint64_t>(access.op));
  if (!access.footprint.empty()) {
    const ByteRange first = access.footprint.bounds(0);
    add(static_cast<std::uint64_t>(first.begin));
    add(static_cast<std::uint64_t>(first.end));
  }
  add(access.win.value);
  add(static_cast<std::uint64_t>(access.opened.value) << 32 | access.closed.value);
  add(static_cast<std::uint64_t>(access.part) << 1 | (access.pending ? 1 : 0));
  return hash;
}

bool RepeatedAccess::was_shown() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Member& member) { return !member.shown.empty(); });
}

bool RepeatedAccess::shown_in_order() const {
  const auto follows = [](const Instant& later, const Instant& earlier) {
    return earlier.rank == later.rank && task_of(earlier.timestamp) == task_of(later.timestamp) &&
           earlier.timestamp <= later.timestamp && earlier.sync_point <= later.sync_point;
  };
  for (std::size_t i = 1; i < members.size(); ++i)
    for (const Instant& instant : members[i].shown)
      if (std::none_of(members[i - 1].shown.begin(), members[i - 1].shown.end(),
                       [&](const Instant& earlier) { return follows(instant, earlier); }))
        return false;
  return true;
}

bool goes_on(const Instants& earlier, const Instants& later) {
  return std::equal(earlier.begin(), earlier.end(), later.begin(), later.end(),
                    [](const Instant& a, const Instant& b) {
                      return a.rank == b.rank && a.timestamp <= b.timestamp &&
                             a.sync_point <= b.sync_point;
                    });
}

}  // namespace photofinish
