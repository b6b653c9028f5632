#include "detect/owner.h"

#include <algorithm>
#include <unordered_map>

#include "memory/overlap.h"
#include "order/keys.h"

namespace photofinish {
namespace {

bool reads_only(const Access& access) { return access.kind == AccessKind::Accumulate && access.op == ReduceOp::NoOp; }

Box box_of(std::uint64_t begin, std::uint64_t bytes) {
  return {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(bytes), {}};
}

std::uint64_t bytes_of(const Access& access) {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < access.boxes.size(); ++i) bytes += static_cast<std::uint64_t>(access.boxes[i].bytes());
  return bytes;
}

}  // namespace

void Owner::receive(AccessList accesses, std::vector<AtomicOp> atomics, const HostClock& clock) {
  const HostClock& common = clock.id != 0 ? clocks_.try_emplace(clock.id, clock).first->second : clock;
  for (const AtomicOp& atomic : atomics) {
    const WinDefinition* window = timeline_.window(atomic.win);
    if (window == nullptr) continue;
    const std::uint64_t address = window->base + atomic.displacement * static_cast<std::uint64_t>(window->unit);
    atomic_values_.try_emplace(address);
    add_atomic(atomic, address, common);
  }
  if (!accesses.empty()) fresh_.push_back({std::move(accesses), common});
}

void Owner::add_atomic(AtomicOp atomic, std::uint64_t address, const HostClock& clock) {
  atomic.displacement = address;
  atomic.clock_id = clock.id;
  atomic.start = clock.since_1970(atomic.start);
  if (atomic.done != kNever) atomic.done = clock.since_1970(atomic.done);
  fresh_atomics_.push_back(atomic);
}

// Locations that nobody ever looks at (sums that are read after a fence) order nothing.
void Owner::add_plain_atomic(const Access& access, std::uint64_t address, const HostClock& clock) {
  if (atomic_values_.empty() || !atomic_values_.contains(address)) return;
  AtomicOp atomic;
  atomic.rank = access.rank;
  atomic.owner = access.owner;
  atomic.win = access.win;
  atomic.op = access.op;
  atomic.element = access.element;
  atomic.operand = access.operand;
  atomic.start = access.start;
  atomic.done = access.done;
  atomic.begin = access.begin;
  atomic.after = access.after;
  add_atomic(atomic, address, clock);
}

// From a displacement in a window to addresses.
std::optional<Owner::Place> Owner::place_of(const Access& access) {
  if (access.win == Uid(0)) return Place{nullptr, 0};
  if (access.win != last_window_.first) last_window_ = {access.win, timeline_.window(access.win)};
  const WinDefinition* window = last_window_.second;
  if (window == nullptr) return std::nullopt;
  return Place{window, window->base + access.displacement * static_cast<std::uint64_t>(window->unit)};
}

Access Owner::placed(const Access& access, const Place& place) {
  Access placed = access;
  placed.boxes.move_by(static_cast<std::int64_t>(place.base));
  placed.displacement = 0;
  return placed;
}

// In a window with separate copies, a store clashes with every update, wherever it is.
bool Owner::meets_stores_anywhere(const Access& access, const WinDefinition* window) {
  const bool updates = access.kind == AccessKind::Put || (access.kind == AccessKind::Accumulate && !reads_only(access));
  return updates && window != nullptr && !window->unified && window->flavour != WinFlavour::Dynamic;
}

void Owner::set_instants(Item& item) const {
  const Access& access = item.access;
  item.begins.add({access.rank, access.begin, access.after});
  if (access.end != kNever) item.ends.add({access.rank, access.end, access.before});
  if (access.epoch.kind != EpochKind::Fence && access.epoch.kind != EpochKind::Start) return;
  const auto exposure = timeline_.exposure_of(access);
  if (!exposure) return;
  item.begins.add(exposure->begin);
  if (exposure->end.moment != kNever) item.ends.add(exposure->end);
}

bool Owner::is_over(const Access& access, Cut until) const {
  if (access.end != kNever && access.before <= until) return true;
  if (access.epoch.kind != EpochKind::Fence && access.epoch.kind != EpochKind::Start) return false;
  const auto exposure = timeline_.exposure_of(access);
  return exposure && exposure->end.moment != kNever && exposure->end.cut <= until;
}

// Most of what comes clashes with nothing by its kind alone (gets among gets, sums among sums), and is over: it is looked at
// where it lies, once. What is left is taken out in a second pass.
bool Owner::check(std::uint64_t period, Cut until) {
  items_.clear();
  met_.clear();
  last_window_ = {};
  Groups groups(rank_, options_);
  bool any_same_op_window = false, any_open = !carried_.empty() || !awaiting_.empty();
  const auto look_at = [&](const Access& access, const Place& place) {
    for (std::size_t i = 0; i < access.boxes.size(); ++i) groups.add(groups.of(access, i, static_cast<std::int64_t>(place.base)));
    if (place.window == nullptr) return;
    any_same_op_window |= place.window->accumulate_ops == "same_op";
    if (meets_stores_anywhere(access, place.window)) groups.add(Groups::AnyUpdate);
  };
  for (const auto* list : {&carried_, &awaiting_})
    for (const Access& access : *list) look_at(access, {access.win != Uid(0) ? timeline_.window(access.win) : nullptr, 0});
  for (const Delivery& delivery : fresh_)
    for (AccessList::Reader reader(delivery.accesses); const Access* access = reader.next();) {
      const auto place = place_of(*access);
      if (!place) continue;
      look_at(*access, *place);
      if (access->plain_atomic) add_plain_atomic(*access, place->base, delivery.clock);
      any_open |= !is_over(*access, until) || awaits(*access, until);
    }
  groups.settle(any_same_op_window);
  if (any_open || groups.any_clash()) take_fresh(groups, until);
  fresh_.clear();
  // All that is over by now is before the epoch that such an access lies in; what is not will still be here when this rank has come to it.
  std::erase_if(items_, [&](Item& item) {
    if (!awaits(item.access, until)) return false;
    awaiting_.push_back(std::move(item.access));
    return true;
  });

  Batch batch;
  if (groups.any_clash()) {
    for (Item& item : items_) set_instants(item);
    meet_all(batch, groups);
  }
  for (Item& item : items_)
    if (!is_over(item.access, until) && until != kNoCut) carried_.push_back(std::move(item.access));
  items_.clear();
  batch.atomic_signals = order_fresh_atomics(period);
  // Others may have pairs that this rank's atomics decide.
  const bool undecided = !batch.undecided.empty();
  if (undecided || !batch.atomic_signals.empty()) batches_[period] = std::move(batch);
  return undecided;
}

// Those that are not over, and those that may clash with something.
void Owner::take_fresh(Groups& groups, Cut until) {
  std::map<std::pair<WorldRank, std::uint64_t>, std::size_t> carried;
  for (Access& access : carried_) {
    if (access.serial != 0) carried[{access.rank, access.serial}] = items_.size();
    items_.emplace_back(std::move(access), true);
  }
  carried_.clear();
  for (Access& access : awaiting_) {
    if (access.serial != 0) carried[{access.rank, access.serial}] = items_.size();
    items_.emplace_back(std::move(access), false);
  }
  awaiting_.clear();
  for (const Delivery& delivery : fresh_)
    for (AccessList::Reader reader(delivery.accesses); const Access* access = reader.next();) {
      const auto place = place_of(*access);
      if (!place) continue;
      const auto known = access->serial != 0 && !carried.empty() ? carried.find({access->rank, access->serial}) : carried.end();
      if (known != carried.end()) {
        items_[known->second].access = placed(*access, *place);
        continue;
      }
      bool clashes = meets_stores_anywhere(*access, place->window) && groups.clashes(Groups::AnyUpdate);
      for (std::size_t i = 0; i < access->boxes.size() && !clashes; ++i)
        clashes = groups.clashes(groups.of(*access, i, static_cast<std::int64_t>(place->base)));
      if (clashes || !is_over(*access, until) || awaits(*access, until)) items_.emplace_back(placed(*access, *place), false);
    }
}

// Brings together all accesses that share bytes, clash by their kinds, and are not apart in time by slices (or, of the owner alone, by
// its own moments): what repeats itself in a loop meets its neighbours in time, not all that ever was there.
void Owner::meet_all(Batch& batch, Groups& groups) {
  spans_.clear();
  boxes_.clear();
  for (std::uint32_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    const Access& access = item.access;
    item.first_span = spans_.size();
    for (std::uint32_t b = 0; b < access.boxes.size(); ++b) {
      const ByteRange range = access.boxes.bounds(b);
      spans_.push_back({static_cast<std::uint64_t>(range.begin), static_cast<std::uint64_t>(range.end),
                        static_cast<std::uint32_t>(boxes_.size()), groups.of(access, b, 0)});
      boxes_.emplace_back(i, b);
    }
    if (const WinDefinition* window = access.win != Uid(0) ? timeline_.window(access.win) : nullptr; meets_stores_anywhere(access, window)) {
      spans_.push_back({window->base, window->base + window->size, static_cast<std::uint32_t>(boxes_.size()), Groups::AnyUpdate});
      boxes_.emplace_back(i, 0);
    }
    item.last_span = spans_.size();
    item.from = 0;
    item.to = kNever;
    if (pairs_ == Pairs::Own) {
      item.from = access.begin;
      item.to = access.end;
      continue;
    }
    for (const Instant& begin : item.begins) item.from = std::max(item.from, begin.cut);
    for (const Instant& end : item.ends) item.to = std::min(item.to, end.cut - 1);
  }
  const GroupConflicts& conflicts = groups.conflicts();
  const auto visit = [&](const Span& a, const Span& b) {
    const auto [item_a, box_a] = boxes_[a.item];
    const auto [item_b, box_b] = boxes_[b.item];
    meet(batch, item_a, item_b, box_a, box_b, a.group == Groups::AnyUpdate || b.group == Groups::AnyUpdate);
  };

  std::vector<std::uint32_t> order(items_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return items_[a].from < items_[b].from; });
  std::vector<std::uint32_t> open;  // of earlier rounds, and not over
  std::vector<Span> round;
  constexpr std::size_t kFew = 128, kSingly = 4;
  for (std::size_t first = 0; first < order.size();) {
    const std::uint64_t now = items_[order[first]].from;
    std::erase_if(open, [&](std::uint32_t i) { return items_[i].to < now; });
    std::size_t last = first + 1;
    while (last < order.size() && items_[order[last]].from == now) ++last;
    // With many open ones, looking at each of them for each new one would take longer than one sweep for as many new ones.
    if (open.size() > kFew) last = std::max(last, std::min(order.size(), first + open.size()));
    if (last - first <= kSingly && open.size() <= kFew) {
      for (std::size_t i = first; i < last; ++i) {
        const Item& fresh = items_[order[i]];
        const auto look_at = [&](const Item& other) {
          for (std::size_t x = fresh.first_span; x < fresh.last_span; ++x)
            for (std::size_t y = other.first_span; y < other.last_span; ++y)
              if (spans_[x].begin < spans_[y].end && spans_[y].begin < spans_[x].end && conflicts.conflict(spans_[x].group, spans_[y].group))
                visit(spans_[x], spans_[y]);
        };
        for (const std::uint32_t other : open) look_at(items_[other]);
        for (std::size_t j = first; j < i; ++j) look_at(items_[order[j]]);
      }
    } else {
      round.clear();
      const auto add = [&](std::uint32_t i) {
        round.insert(round.end(), spans_.begin() + static_cast<std::ptrdiff_t>(items_[i].first_span),
                     spans_.begin() + static_cast<std::ptrdiff_t>(items_[i].last_span));
      };
      for (const std::uint32_t i : open) items_[i].met = true, add(i);
      for (std::size_t i = first; i < last; ++i) add(order[i]);
      sweeper_.sweep(round, conflicts, [&](const Span& a, const Span& b) {
        const Item& one = items_[boxes_[a.item].first];
        const Item& other = items_[boxes_[b.item].first];
        if ((one.met && other.met) || one.to < other.from || other.to < one.from) return;
        visit(a, b);
      });
    }
    const std::uint64_t next = last < order.size() ? items_[order[last]].from : kNever;
    for (std::size_t i = first; i < last; ++i)
      if (items_[order[i]].to >= next) open.push_back(order[i]);
    first = last;
  }
}

void Owner::meet(Batch& batch, std::size_t a, std::size_t b, std::size_t box_a, std::size_t box_b, bool separate) {
  if (a == b) return;
  const Item& one = items_[a];
  const Item& other = items_[b];
  if (one.seen && other.seen) return;
  if (one.access.rank == other.access.rank && one.access.begin == other.access.begin && one.access.part == other.access.part)
    return;  // one and the same operation
  if (pairs_ == Pairs::WithOthers && is_own(one.access) && is_own(other.access)) return;
  const Box first = one.access.boxes[box_a];
  const Box second = other.access.boxes[box_b];
  if (separate) {
    // Those that do share bytes are found as such.
    for (std::size_t x = 0; x < one.access.boxes.size(); ++x)
      for (std::size_t y = 0; y < other.access.boxes.size(); ++y)
        if (overlap(one.access.boxes[x], other.access.boxes[y])) return;
    const Item& update = one.access.win != Uid(0) ? one : other;
    const Item& store = &update == &one ? other : one;
    const WinDefinition* window = timeline_.window(update.access.win);
    bool inside = false;
    for (std::size_t i = 0; i < store.access.boxes.size(); ++i) inside |= overlap(store.access.boxes[i], box_of(window->base, window->size));
    if (!inside || !met_.insert(std::minmax(a, b)).second) return;
    if (kept_apart(one.access, other.access)) return;
    const ByteRange range = store.access.boxes.bounds(0);
    return judge(batch, one, other, Reason::SeparateModel, range);
  }
  const std::optional<ByteRange> where = overlap(first, second) ? common_bytes(first, second) : std::nullopt;
  if (!where) return;
  const bool coincide = one.access.element.size == 0 || aligned_alike(first, second, one.access.element.size);
  const auto reason = clash(one.access, other.access, coincide, accumulate_rules(one.access.win), options_);
  if (!reason || kept_apart(one.access, other.access)) return;
  if ((one.access.boxes.size() > 1 || other.access.boxes.size() > 1) && !met_.insert(std::minmax(a, b)).second) return;
  judge(batch, one, other, *reason, *where);
}

void Owner::judge(Batch& batch, const Item& a, const Item& b, Reason reason, const ByteRange& where) {
  std::vector<Condition> conditions;
  if (before(a, b, batch, conditions) || before(b, a, batch, conditions)) return;
  Finding finding = make_finding(a, b, reason, where);
  if (conditions.empty()) found(std::move(finding));
  else batch.undecided.push_back({std::move(finding), std::move(conditions)});
}

bool Owner::before(const Item& a, const Item& b, Batch& batch, std::vector<Condition>& conditions) {
  for (const Instant& end : a.ends)
    for (const Instant& begin : b.begins)
      if (end.rank == begin.rank ? end.moment < begin.moment : end.cut <= begin.cut) return true;
  for (const Instant& end : a.ends)
    for (const Instant& begin : b.begins) {
      if (end.rank == begin.rank) continue;
      const Question question{begin.rank, begin.moment, end.rank};
      std::vector<Question>& questions = batch.questions[begin.cut];
      const auto [entry, fresh] = batch.asked[begin.cut].try_emplace(question, questions.size());
      if (fresh) questions.push_back(question);
      conditions.push_back({begin.cut, entry->second, end.moment});
    }
  return false;
}

Finding Owner::make_finding(const Item& a, const Item& b, Reason reason, const ByteRange& where) const {
  Finding finding;
  finding.reason = reason;
  const Item* items[] = {&a, &b};
  for (int i = 0; i < 2; ++i) {
    const Access& access = items[i]->access;
    finding.sides[i] = {.rank = access.rank, .kind = access.kind, .call = access.call, .site = access.site, .site_key = access.site_key,
                        .opened = access.opened, .closed = access.closed, .begin = access.begin, .end = access.end,
                        .bytes = bytes_of(access), .op = access.op, .epoch = access.epoch};
    finding.ranks.insert(access.rank);
    if (access.win != Uid(0)) finding.win = access.win;
  }
  finding.owner = rank_;
  finding.owners.insert(rank_);
  finding.where = where;
  if (finding.win != Uid(0))
    if (const WinDefinition* window = timeline_.window(finding.win)) finding.offset = where.begin - static_cast<std::int64_t>(window->base);
  return finding;
}

void Owner::found(Finding finding) {
  findings_.push_back(std::move(finding));
  if (findings_.size() < merge_at_) return;
  findings_ = merge_findings(std::move(findings_));
  merge_at_ = std::max<std::size_t>(1024, 2 * findings_.size());
}

std::vector<Finding> Owner::take_findings() { return merge_findings(std::exchange(findings_, {})); }

AccumulateRules Owner::accumulate_rules(Uid win) const {
  AccumulateRules rules;
  const WinDefinition* window = win != Uid(0) ? timeline_.window(win) : nullptr;
  if (window == nullptr) return rules;
  rules.same_op_only = window->accumulate_ops == "same_op";
  const std::string& ordering = window->accumulate_ordering;
  const auto keeps = [&](const char* what) { return ordering.find(what) != std::string::npos; };
  rules.ordered = ordering.empty() || (keeps("raw") && keeps("war") && keeps("waw"));
  return rules;
}

// --- what the resolvers decide

std::map<Cut, std::vector<Question>> Owner::questions(std::uint64_t period) const {
  const auto found = batches_.find(period);
  return found != batches_.end() ? found->second.questions : std::map<Cut, std::vector<Question>>();
}

std::vector<RankSignal> Owner::atomic_signals(std::uint64_t period) const {
  const auto found = batches_.find(period);
  return found != batches_.end() ? found->second.atomic_signals : std::vector<RankSignal>();
}

std::vector<RankSignal> Owner::order_fresh_atomics(std::uint64_t period) {
  std::map<std::uint64_t, std::vector<AtomicOp>> by_location;
  for (const AtomicOp& atomic : fresh_atomics_) by_location[atomic.displacement].push_back(atomic);
  fresh_atomics_.clear();
  std::vector<RankSignal> signals;
  for (auto& [address, ops] : by_location) {
    const std::uint64_t key = signal_key(Channel::Atomic, static_cast<std::uint32_t>(rank_.value), address, period);
    const auto more = order_atomics(std::move(ops), key, atomic_values_[address]);
    signals.insert(signals.end(), more.begin(), more.end());
  }
  return signals;
}

void Owner::answer(std::uint64_t period, Cut slice, const std::vector<Moment>& answers) { batches_[period].answers[slice] = answers; }

void Owner::conclude(std::uint64_t period) {
  const auto found_batch = batches_.find(period);
  if (found_batch == batches_.end()) return;
  Batch& batch = found_batch->second;
  for (Undecided& undecided : batch.undecided) {
    bool ordered = false;
    for (const Condition& condition : undecided.conditions) {
      const auto answers = batch.answers.find(condition.slice);
      if (answers == batch.answers.end() || condition.question >= answers->second.size()) continue;
      const Moment known = answers->second[condition.question];
      ordered |= known != kNever && condition.least <= known;
    }
    if (!ordered) found(std::move(undecided.finding));
  }
  batches_.erase(found_batch);
}

}  // namespace photofinish
