#include "detect/owner.h"

#include <algorithm>
#include <unordered_map>

#include "memory/overlap.h"
#include "order/keys.h"

namespace photofinish {
namespace {

Strided strided_of(std::uint64_t begin, std::uint64_t bytes) {
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(bytes), {}};
}

std::uint64_t address_of(const AtomicOp& atomic, const RegionTraits& region) {
  return region.base + atomic.displacement * static_cast<std::uint64_t>(region.unit) +
         atomic.offset;
}

std::int64_t first_byte(const Access& access) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < access.footprint.size(); ++i)
    first = std::min(first, access.footprint.bounds(i).begin);
  return first;
}

}  // namespace

// One clock for all ranks that read the same counter: the first one received.
const HostClock& Owner::common(const HostClock& clock) {
  return clock.id != 0 ? clocks_.try_emplace(clock.id, clock).first->second : clock;
}

void Owner::add_atomic(std::vector<AtomicOp>& list, AtomicOp atomic, std::uint64_t address,
                       const HostClock& clock) {
  atomic.displacement = address;
  atomic.clock_id = clock.id;
  atomic.start = clock.since_1970(atomic.start);
  if (atomic.done != kNever) atomic.done = clock.since_1970(atomic.done);
  list.push_back(atomic);
}

void Owner::add_plain_atomic(const Access& access, std::uint64_t address, const HostClock& clock) {
  AtomicOp atomic;
  atomic.rank = access.rank;
  atomic.owner = access.owner;
  atomic.win = access.win;
  atomic.op = access.op;
  atomic.element = access.element;
  atomic.delivery = access.delivery;
  atomic.operand = access.operand;
  atomic.start = access.start;
  atomic.done = access.done;
  atomic.begin = access.begin;
  atomic.knows = access.known;
  atomic.after = access.after;
  add_atomic(plain_atomics_, atomic, address, clock);
}

// The base address of an access to a region, to translate displacements to addresses.
std::optional<Owner::Location> Owner::location_of(const Access& access) {
  if (access.win == Uid(0)) return Location{nullptr, 0};
  if (access.win != last_region_.first) last_region_ = {access.win, timeline_.region(access.win)};
  const RegionTraits* region = last_region_.second;
  if (region == nullptr) return std::nullopt;
  return Location{region,
                  region->base + access.displacement * static_cast<std::uint64_t>(region->unit)};
}

Access Owner::located(const Access& access, const Location& location) {
  Access located = access;
  located.footprint.move_by(static_cast<std::int64_t>(location.base));
  located.displacement = 0;
  return located;
}

// In a region with separate copies, a store conflicts with every update, wherever it is.
bool Owner::meets_stores_anywhere(const Access& access, const RegionTraits* region) {
  const bool updates = access.kind == AccessKind::Put ||
                       (access.kind == AccessKind::Accumulate && !reads_only(access));
  return updates && region != nullptr && region->model->separate_copies;
}

void Owner::set_instants(Item& item) const {
  const Access& access = item.access;
  item.begins.add({access.rank, access.begin, access.after, access.known});
  if (access.end != kNever)
    item.ends.add({access.rank, access.end,
                   pairs_ == Pairs::Own && timeline_.has_tasks() ? timeline_.reported(access.end)
                                                                 : access.before});
  if (access.epoch.kind != EpochKind::Fence && access.epoch.kind != EpochKind::Start) return;
  const auto exposure = timeline_.exposure_of(access);
  if (!exposure) return;
  item.begins.add(exposure->begin);
  if (exposure->end.timestamp != kNever) item.ends.add(exposure->end);
}

bool Owner::is_over(const Access& access, SyncPoint until) const {
  if (access.end != kNever && access.before <= until) return true;
  if (access.epoch.kind != EpochKind::Fence && access.epoch.kind != EpochKind::Start) return false;
  const auto exposure = timeline_.exposure_of(access);
  return exposure && exposure->end.timestamp != kNever && exposure->end.sync_point <= until;
}

bool Owner::check(std::uint64_t period, SyncPoint until, const Each& each, std::size_t memory) {
  last_region_ = {};
  Check check = first_pass(until, each, memory);
  Candidates candidates;
  if (check.any_atomic || check.takes_accesses()) {
    Earlier earlier{std::exchange(carried_, {}), std::exchange(awaiting_, {})};
    const bool apart = check.shards.size() > 1 && check.any_delivery;
    for (const Part part : {Part::Order, apart ? Part::Pair : Part::Both}) {
      if (part == Part::Order && !apart) continue;
      for (const Shard& shard : check.shards) {
        shard_ = shard;
        check_shard(candidates, period, until, check, each, earlier, part);
      }
    }
    shard_ = {};
    forget_shown();
  }
  seen_ = std::max(seen_, check.last_serial);
  settle_ends();
  if (memory != kNoLimit) {  // free it all before the next owner is checked
    const auto release = [](auto& it) { it = std::decay_t<decltype(it)>(); };
    release(items_), release(atomics_), release(plain_atomics_), release(spans_),
        release(footprint_), release(sweeper_);
    release(rows_), release(row_of_), release(next_in_row_), release(row_like_), release(repeated_);
  }
  // Other ranks may have pairs that depend on this owner's atomics.
  const bool undecided = !candidates.undecided.empty() || !candidates.repeated.empty();
  if (undecided || !candidates.atomic_edges.empty()) candidates_[period] = std::move(candidates);
  return undecided;
}

// First pass. Most accesses are complete and conflict with nothing by kind alone (gets among gets,
// sums among sums). They are read once, in place. The others are decoded when the shards are
// checked.
Owner::Check Owner::first_pass(SyncPoint until, const Each& each, std::size_t memory) {
  // Memory per decoded access, and per strided block of it, in bytes.
  constexpr std::size_t kItem = sizeof(Item) + sizeof(std::uint32_t),
                        kSpan = 4 * sizeof(Span) + sizeof(Strided);
  Check check(rank_, options_);
  std::size_t atomics = 0, all = 0, open = 0;
  each([&](const Batch& batch) {
    for (const AtomicOp& atomic : batch.atomics)
      if (const RegionTraits* region = timeline_.region(atomic.win);
          region != nullptr && atomic.fetches)
        atomic_values_.try_emplace(address_of(atomic, *region)), ++atomics;
    check.accesses += batch.accesses.size();
    all += batch.accesses.size() * kItem + batch.accesses.footprint() * kSpan;
  });
  check.any_atomic = atomics > 0;
  check.any_open = !carried_.empty() || !awaiting_.empty();
  const bool may_be_too_much = all + atomics * memory_bytes(AtomicOp()) > memory;

  bool any_same_op_region = false;
  ShardBorders borders;
  const auto check_at = [&](const Access& access, const Location& location) {
    for (std::size_t i = 0; i < access.footprint.size(); ++i)
      check.groups.add(check.groups.of(access, i, static_cast<std::int64_t>(location.base)),
                       i == 0 ? kItem + kSpan : kSpan);
    if (location.region == nullptr) return;
    check.groups.add(*location.region->model);
    any_same_op_region |= location.region->accumulates.same_op_only;
    if (meets_stores_anywhere(access, location.region)) check.groups.add(Groups::AnyUpdate, kSpan);
  };
  for (const auto* list : {&carried_, &awaiting_})
    for (const Access& access : *list) check_at(access, {region_of(access), 0});
  each([&](const Batch& batch) {
    for (AccessList::Reader reader(batch.accesses); const Access* access = reader.next();) {
      const auto location = location_of(*access);
      if (!location) continue;
      check_at(*access, *location);
      if (access->plain_atomic && !atomic_values_.empty() &&
          atomic_values_.contains(location->base))
        check.any_plain_atomic = true, ++atomics;
      check.last_serial = std::max(check.last_serial, access->serial);
      check.any_delivery |= access->delivery.stage != 0;
      // The rank's own accesses are not carried over. This is the end of one that was pending.
      if (pairs_ == Pairs::Own && !findings_.empty() && access->serial != 0 &&
          access->serial <= seen_)
        note_end(*access);
      if (pairs_ == Pairs::WithOthers && (!is_over(*access, until) || awaits(*access, until)))
        check.any_open = true, open += kItem + access->footprint.size() * kSpan;
      if (may_be_too_much && !access->footprint.empty())
        borders.add(first_byte(*access) + static_cast<std::int64_t>(location->base));
    }
  });
  check.groups.settle(any_same_op_region);

  const std::size_t taken =
      check.groups.conflicting_weight() + open + atomics * memory_bytes(AtomicOp());
  check.accesses = std::min(check.accesses, taken / (kItem + kSpan));
  check.shards = may_be_too_much ? borders.shards(1 + taken / std::max<std::size_t>(memory, 1))
                                 : std::vector<Shard>{{}};
  return check;
}

void Owner::check_shard(Candidates& candidates, std::uint64_t period, SyncPoint until, Check& check,
                        const Each& each, Earlier& earlier, Part part) {
  items_.clear();
  met_.clear();
  separate_.clear();
  earlier_.clear();
  items_.reserve(check.accesses / check.shards.size());
  take_earlier(earlier, shard_ == check.shards.back() && part != Part::Order);
  each([&](const Batch& batch) {
    take_atomics(batch);
    if (check.takes_accesses()) take_accesses(batch, check, until);
  });
  if (part == Part::Pair)
    atomics_.clear(), plain_atomics_.clear();
  else
    order_atomics_of_shard(candidates, period);
  if (part == Part::Order) return;
  // Everything that is complete by now precedes the epoch of such an access. Everything else is
  // still stored when this rank reaches the epoch.
  std::erase_if(items_, [&](Item& item) {
    if (!awaits(item.access, until)) return false;
    keep_unless_elsewhere(awaiting_, std::move(item.access));
    return true;
  });

  if (check.groups.any_conflict()) {
    for (Item& item : items_) set_instants(item);
    pair_all(candidates, check.groups);
  }
  for (Item& item : items_) {
    if (pairs_ == Pairs::Own || is_over(item.access, until) || until == kNoSyncPoint) continue;
    if (auto instants = shown(item.access, candidates); !instants.empty())
      shown_[{item.access.rank, item.access.begin}] = std::move(instants);
    keep_unless_elsewhere(carried_, std::move(item.access));
  }
  items_.clear();
}

void Owner::forget_shown() {
  sightings_.clear();
  deliveries_.clear();
  if (shown_.empty()) return;
  std::set<std::pair<WorldRank, Timestamp>> kept;
  for (const Access& access : carried_) kept.emplace(access.rank, access.begin);
  std::erase_if(shown_, [&](const auto& entry) { return !kept.contains(entry.first); });
}

// An access is carried over once, in the shard where it begins. It was checked in every shard that
// it touches.
void Owner::keep_unless_elsewhere(std::vector<Access>& list, Access&& access) const {
  if (begins_in_shard(access)) list.push_back(std::move(access));
}

void Owner::take_earlier(Earlier& earlier, bool last) {
  const auto take = [&](std::vector<Access>& list, bool seen) {
    for (Access& access : list) {
      if (!touches_shard(access, {region_of(access), 0})) continue;
      if (access.serial != 0) earlier_[{access.rank, access.serial}] = items_.size();
      items_.emplace_back(last ? std::move(access) : Access(access), seen);
    }
  };
  take(earlier.carried, true);
  take(earlier.awaiting, false);
}

// An atomic belongs to the shard of its address.
void Owner::take_atomics(const Batch& batch) {
  const HostClock& clock = common(batch.clock);
  for (const AtomicOp& atomic : batch.atomics) {
    const RegionTraits* region = timeline_.region(atomic.win);
    if (region == nullptr) continue;
    const std::uint64_t address = address_of(atomic, *region);
    if (!shard_.contains(static_cast<std::int64_t>(address)) ||
        (!atomic.fetches && !atomic_values_.contains(address)))
      continue;
    add_atomic(atomic.fetches ? atomics_ : plain_atomics_, atomic, address, clock);
  }
}

// Takes accesses that are pending or may conflict. Plain atomics matter only at locations from
// which some rank has fetched; others, such as sums read after a fence, create no order.
void Owner::take_accesses(const Batch& batch, Check& check, SyncPoint until) {
  const HostClock& clock = common(batch.clock);
  for (AccessList::Reader reader(batch.accesses); const Access* access = reader.next();) {
    const auto location = location_of(*access);
    if (!location) continue;
    if (access->plain_atomic && check.any_plain_atomic &&
        shard_.contains(static_cast<std::int64_t>(location->base)) &&
        atomic_values_.contains(location->base))
      add_plain_atomic(*access, location->base, clock);
    if (!touches_shard(*access, *location)) continue;
    const auto known = access->serial != 0 && !earlier_.empty()
                           ? earlier_.find({access->rank, access->serial})
                           : earlier_.end();
    if (known != earlier_.end()) {
      items_[known->second].access = located(*access, *location);
      note_end(*access);
      continue;
    }
    bool is_in_conflict = meets_stores_anywhere(*access, location->region) &&
                          check.groups.has_conflict(Groups::AnyUpdate);
    for (std::size_t i = 0; i < access->footprint.size() && !is_in_conflict; ++i)
      is_in_conflict = check.groups.has_conflict(
          check.groups.of(*access, i, static_cast<std::int64_t>(location->base)));
    if (pairs_ == Pairs::Own) {
      if (is_in_conflict)
        items_.emplace_back(located(*access, *location),
                            access->serial != 0 && access->serial <= seen_);
      continue;
    }
    if (is_in_conflict || !is_over(*access, until) || awaits(*access, until))
      items_.emplace_back(located(*access, *location), false);
  }
}

bool Owner::touches_shard(const Access& access, const Location& location) const {
  if (shard_ == Shard{}) return true;
  const auto base = static_cast<std::int64_t>(location.base);
  for (std::size_t i = 0; i < access.footprint.size(); ++i)
    if (const ByteRange range = access.footprint.bounds(i);
        shard_.touches(base + range.begin, base + range.end))
      return true;
  return meets_stores_anywhere(access, location.region) &&
         shard_.touches(static_cast<std::int64_t>(location.region->base),
                        static_cast<std::int64_t>(location.region->base + location.region->size));
}

bool Owner::begins_in_shard(const Access& access) const {
  return shard_.contains(first_byte(access));
}

std::optional<Owner::Meeting> Owner::meeting_of(const Access& one, const Access& other,
                                                const Strided& first, const Strided& second) const {
  const std::optional<ByteRange> where =
      overlap(first, second) ? common_bytes(first, second) : std::nullopt;
  if (!where) return std::nullopt;
  const bool coincide = one.element.size == 0 || aligned_alike(first, second, one.element.size);
  const RegionTraits* region = region_of(one);
  if (region == nullptr) region = region_of(other);
  static const RegionTraits kNone;
  if (region == nullptr) region = &kNone;
  const auto reason = conflict(one, other, coincide, *region->model, region->accumulates, options_);
  if (!reason) return std::nullopt;
  return Meeting{*where, *reason};
}

// Whether the pair has a common byte in a lower shard, where it was counted.
bool Owner::met_below_shard(const Access& one, const Access& other) const {
  for (std::size_t x = 0; x < one.footprint.size(); ++x)
    for (std::size_t y = 0; y < other.footprint.size(); ++y) {
      if (one.footprint.bounds(x).begin >= shard_.begin ||
          other.footprint.bounds(y).begin >= shard_.begin)
        continue;
      const auto meeting = meeting_of(one, other, one.footprint[x], other.footprint[y]);
      if (meeting && meeting->where.begin < shard_.begin) return true;
    }
  return false;
}

void Owner::meet(Candidates& candidates, std::size_t a, std::size_t b, std::size_t strided_a,
                 std::size_t strided_b, bool separate) {
  if (a == b) return;
  // A fixed order, so that findings do not depend on the order of arrival.
  const auto age = [&](std::size_t i) {
    return std::tuple(items_[i].access.rank, items_[i].access.begin, items_[i].access.part);
  };
  if (age(b) < age(a)) std::swap(a, b), std::swap(strided_a, strided_b);
  const Item& one = items_[a];
  const Item& other = items_[b];
  if (one.seen && other.seen) return;
  if (one.access.rank == other.access.rank && one.access.begin == other.access.begin &&
      one.access.part == other.access.part)
    return;  // the same operation
  if (pairs_ == Pairs::WithOthers && is_own(one.access) && is_own(other.access)) return;
  if (separate) return pair_separate(candidates, a, b);
  const auto meeting = meeting_of(one.access, other.access, one.access.footprint[strided_a],
                                  other.access.footprint[strided_b]);
  if (!meeting || protected_by_common_lock(one.access, other.access)) return;
  if (one.access.footprint.size() > 1 || other.access.footprint.size() > 1) {
    const auto [entry, fresh] = met_.try_emplace(std::pair(a, b), *meeting);
    if (!fresh && meeting->key() < entry->second.key()) entry->second = *meeting;
    return;
  }
  if (shard_.contains(meeting->where.begin))
    judge(candidates, one, other, meeting->reason, meeting->where);
}

// Pairs that share bytes are found as ordinary conflicts.
void Owner::pair_separate(Candidates& candidates, std::size_t a, std::size_t b) {
  const Item& one = items_[a];
  const Item& other = items_[b];
  for (std::size_t x = 0; x < one.access.footprint.size(); ++x)
    for (std::size_t y = 0; y < other.access.footprint.size(); ++y)
      if (overlap(one.access.footprint[x], other.access.footprint[y])) return;
  const Item& update = meets_stores_anywhere(one.access, region_of(one.access)) ? one : other;
  const Access& store = &update == &one ? other.access : one.access;
  const RegionTraits* region = region_of(update.access);
  const Strided all = strided_of(region->base, region->size);
  bool inside = false;
  // The first byte of the region within the bounds of the store.
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < store.footprint.size(); ++i) {
    inside |= overlap(store.footprint[i], all);
    if (const ByteRange range = store.footprint.bounds(i);
        range.begin < all.offset + all.length && all.offset < range.end)
      first = std::min(first, std::max(range.begin, all.offset));
  }
  if (!inside || !shard_.contains(first)) return;
  if (protected_by_common_lock(one.access, other.access) || !separate_.insert({a, b}).second)
    return;
  judge(candidates, one, other, Reason::SeparateModel, store.footprint.bounds(0));
}

void Owner::judge(Candidates& candidates, const Item& a, const Item& b, Reason reason,
                  const ByteRange& where) {
  if (a.access.rank == rank_ && b.access.rank == rank_ && timeline_.has_tasks() &&
      (timeline_.was_given_back(where, a.access.end, b.access.begin) ||
       timeline_.was_given_back(where, b.access.end, a.access.begin)))
    return;
  if (a.access.rank == b.access.rank && (a.access.delivery.precedes(b.access.delivery) ||
                                         b.access.delivery.precedes(a.access.delivery)))
    return;
  std::vector<Condition> conditions;
  if (before(a.ends, b, candidates, conditions) || before(b.ends, a, candidates, conditions))
    return;
  // A fetched result proves nothing about the other copy of a separate region.
  if (reason != Reason::SeparateModel &&
      (before(shown(a.access, candidates), b, candidates, conditions) ||
       before(shown(b.access, candidates), a, candidates, conditions)))
    return;
  Finding finding = make_finding(a.access, b.access, reason, where);
  if (conditions.empty())
    found(std::move(finding));
  else
    candidates.undecided.push_back({std::move(finding), std::move(conditions)});
}

const Sightings* Owner::sightings_at(std::uint64_t address, const Candidates& candidates) {
  const auto range = candidates.edges_at.find(address);
  if (range == candidates.edges_at.end()) return nullptr;
  const auto [first, count] = range->second;
  return &sightings_.try_emplace(address, std::span(candidates.atomic_edges).subspan(first, count))
              .first->second;
}

std::vector<Instant> Owner::shown(const Access& access, const Candidates& candidates) {
  const bool is_atomic = access.kind == AccessKind::Accumulate;
  if (!is_atomic && access.delivery.stage == 0) return {};
  std::vector<Instant> instants;
  if (const auto earlier = shown_.find({access.rank, access.begin}); earlier != shown_.end())
    instants = earlier->second;
  if (is_atomic)
    if (const Sightings* sightings =
            sightings_at(static_cast<std::uint64_t>(first_byte(access)), candidates))
      sightings->add(access.rank, access.begin, Sightings::By::Others, instants);
  deliveries_.add_instants(
      access,
      [&](std::uint64_t address, WorldRank rank, Timestamp begin, std::vector<Instant>& seen) {
        if (const Sightings* sightings = sightings_at(address, candidates))
          sightings->add(rank, begin, Sightings::By::All, seen);
      },
      instants);
  return instants;
}

template <class Ends>
bool Owner::before(const Ends& ends, const Item& b, Candidates& candidates,
                   std::vector<Condition>& conditions) {
  const auto one_task = [](const Instant& end, const Instant& begin) {
    return end.rank == begin.rank && task_of(end.timestamp) == task_of(begin.timestamp);
  };
  for (const Instant& end : ends)
    for (const Instant& begin : b.begins) {
      if (end.rank == begin.rank && is_over_before(end.timestamp, begin.timestamp, begin.known))
        return true;
      if (!one_task(end, begin) && end.sync_point <= begin.sync_point) return true;
    }
  for (const Instant& end : ends)
    for (const Instant& begin : b.begins) {
      if (one_task(end, begin)) continue;
      if (end.rank == begin.rank) {  // order between two tasks may go through other ranks
        if (pairs_ == Pairs::Own && !timeline_.acquired_between(end.timestamp, begin.timestamp))
          continue;
        if (begin.sync_point < first_phase_) return true;  // nobody can tell any more
      }
      conditions.push_back({begin.sync_point, ask(candidates, begin, end), end.timestamp});
    }
  return false;
}

std::size_t Owner::ask(Candidates& candidates, const Instant& instant, const Instant& about) {
  const Query query{instant.rank, instant.timestamp, about.rank, task_of(about.timestamp),
                    instant.known};
  std::vector<Query>& queries = candidates.queries[instant.sync_point];
  const auto [entry, fresh] =
      candidates.asked[instant.sync_point].try_emplace(query, queries.size());
  if (fresh) queries.push_back(query);
  return entry->second;
}

// --- answers of the resolvers

std::map<SyncPoint, std::vector<Query>> Owner::queries(std::uint64_t period) const {
  const auto found = candidates_.find(period);
  return found != candidates_.end() ? found->second.queries
                                    : std::map<SyncPoint, std::vector<Query>>();
}

std::vector<RankEdge> Owner::atomic_edges(std::uint64_t period) const {
  const auto found = candidates_.find(period);
  return found != candidates_.end() ? found->second.atomic_edges : std::vector<RankEdge>();
}

// Fetching atomics come first, whatever the order of arrival. If several orders are possible, this
// may decide.
void Owner::order_atomics_of_shard(Candidates& candidates, std::uint64_t period) {
  std::map<std::uint64_t, std::vector<AtomicOp>> by_location;
  for (auto* list : {&atomics_, &plain_atomics_}) {
    for (const AtomicOp& atomic : *list) by_location[atomic.displacement].push_back(atomic);
    list->clear();
  }
  if (!by_location.empty()) add_carried(by_location), add_stores(by_location);
  for (auto& [address, ops] : by_location) {
    const std::uint64_t key =
        edge_key(Channel::Atomic, static_cast<std::uint32_t>(rank_.value), address, period);
    for (const AtomicOp& op : ops) deliveries_.add(op, address);
    const auto more = order_atomics(std::move(ops), key, atomic_values_[address]);
    if (!more.empty()) candidates.edges_at[address] = {candidates.atomic_edges.size(), more.size()};
    candidates.atomic_edges.insert(candidates.atomic_edges.end(), more.begin(), more.end());
  }
}

// Adds pending operations of earlier periods: their values may be observed only now. If the value
// of the location is known, it includes those that do not replace it.
void Owner::add_carried(std::map<std::uint64_t, std::vector<AtomicOp>>& by_location) {
  for (const Item& item : items_) {
    const Access& access = item.access;
    if (!item.seen || access.delivery.stage == 0 || access.start == 0) continue;
    const auto address = static_cast<std::uint64_t>(first_byte(access));
    const auto found = by_location.find(address);
    if (found == by_location.end()) continue;
    AtomicOp atomic;
    atomic.rank = access.rank;
    atomic.op = access.op;
    atomic.element = access.element;
    atomic.delivery = access.delivery;
    atomic.operand = access.operand;
    if (access.op != ReduceOp::Replace && atomic_values_[address])
      atomic.op = ReduceOp::Sum, atomic.operand = 0;
    atomic.begin = access.begin;
    atomic.knows = access.known;
    atomic.after = access.after;
    found->second.push_back(atomic);
  }
}

// Adds the owner's own stores between its atomics.
void Owner::add_stores(std::map<std::uint64_t, std::vector<AtomicOp>>& by_location) const {
  for (const Item& item : items_) {
    const Access& access = item.access;
    if (item.seen || access.kind != AccessKind::Store || !is_own(access)) continue;
    for (std::size_t i = 0; i < access.footprint.size(); ++i) {
      const ByteRange range = access.footprint.bounds(i);
      // An element has at most 8 bytes.
      const auto first = static_cast<std::uint64_t>(std::max<std::int64_t>(range.begin - 7, 0));
      for (auto at = by_location.lower_bound(first);
           at != by_location.end() && at->first < static_cast<std::uint64_t>(range.end); ++at) {
        const Element element = at->second.front().element;
        if (!overlap(access.footprint[i], strided_of(at->first, element.size))) continue;
        AtomicOp store;
        store.rank = access.rank;
        store.element = element;
        store.begin = access.begin;
        store.after = access.after;
        at->second.push_back(store);
      }
    }
  }
}

void Owner::answer(std::uint64_t period, SyncPoint phase, const std::vector<Timestamp>& answers) {
  candidates_[period].answers[phase] = answers;
}

void Owner::conclude(std::uint64_t period) {
  const auto found_batch = candidates_.find(period);
  if (found_batch == candidates_.end()) return;
  Candidates& candidates = found_batch->second;
  for (Undecided& undecided : candidates.undecided) {
    bool ordered = false;
    for (const Condition& condition : undecided.conditions) {
      const auto answers = candidates.answers.find(condition.phase);
      if (answers == candidates.answers.end() || condition.query >= answers->second.size()) {
        ordered |= pairs_ == Pairs::Own;  // the run is over
        continue;
      }
      const Timestamp known = answers->second[condition.query];
      ordered |= known != kNever && condition.least <= known;
    }
    if (!ordered) found(std::move(undecided.finding));
  }
  const auto known = [&](const Instant& instant, const Instant& about) {
    const auto asked = candidates.asked.find(instant.sync_point);
    const auto answers = candidates.answers.find(instant.sync_point);
    if (asked == candidates.asked.end() || answers == candidates.answers.end()) return kNever;
    const auto query =
        asked->second.find({instant.rank, instant.timestamp, about.rank, task_of(about.timestamp)});
    return query != asked->second.end() && query->second < answers->second.size()
               ? answers->second[query->second]
               : kNever;
  };
  for (const Repeated& repeated : candidates.repeated) {
    auto [first, last] =
        repeated.others->beside(*repeated.one, repeated.one->members[repeated.at], known);
    first = std::max(first, repeated.first);
    last = std::min(last, repeated.last);
    if (first >= last) continue;
    Finding finding = make_finding(repeated.one->member(repeated.at),
                                   repeated.others->member(first), repeated.reason, repeated.where);
    finding.times = last - first;
    found(std::move(finding));
  }
  candidates_.erase(found_batch);
  settle_ends();
}

}  // namespace photofinish
