// Reconstructs the order in which the atomics on one location took effect, by trying all orders.
//
// In an order, each rank's atomics are in program order, and every fetching atomic finds the value
// that the preceding one left; the initial value is unknown. A fetching atomic follows the last one
// that wrote. As long as those fetched too, or were plain sums (which contribute to the value), it
// also follows the ones before.
//
// All possible orders are kept, independent of happens-before: the page does not say which one to
// take. Two more cases are open, and both alternatives are tried. An atomic that leaves the value
// unchanged (a sum with 0) may or may not have written it. Observed plain sums may or may not order
// anything while sums of other ranks were not among them.
#include <algorithm>

#include "atomic_value.h"
#include "oracle_order.h"

namespace photofinish::testing {
namespace {

constexpr std::size_t kMostSteps = 20000;
constexpr std::size_t kMostSets = 64;

bool writes(const Atomic& atomic) {
  if (atomic.op == ReduceOp::CompareAndSwap) return atomic.result == atomic.compare;
  return atomic.op != ReduceOp::NoOp;
}

// The atomics on one location in one phase.
class Location {
 public:
  Location(const History& history, const std::vector<const Atomic*>& atomics) : history_(history) {
    for (const Atomic* atomic : atomics) queues_[atomic->event.rank].push_back(atomic);
  }

  // All sets of edges that some order implies; nothing if there are too many orders.
  std::optional<std::set<Edges>> find() {
    std::map<int, std::size_t> taken;
    for (const auto& [rank, queue] : queues_) taken[rank] = 0;
    for (const bool idle_ones_write : {true, false})
      for (const bool partial_sums_order : {true, false}) {
        idle_ones_write_ = idle_ones_write;
        partial_sums_order_ = partial_sums_order;
        position(taken, {}, {}, {});
      }
    if (too_many_ || undecided_) return {};
    return found_;
  }

 private:
  const Element& element(const Atomic& atomic) const {
    return history_.touches[atomic.touch].element;
  }

  // `followed`: what an atomic that finds this value follows.
  void position(const std::map<int, std::size_t>& taken, std::optional<std::uint64_t> value,
                const std::vector<const Atomic*>& followed, const Edges& edges) {
    if (++steps_ > kMostSteps) too_many_ = true;
    if (too_many_ || undecided_) return;
    bool all = true;
    for (const auto& [rank, queue] : queues_) {
      const std::size_t next = taken.at(rank);
      if (next == queue.size()) continue;
      all = false;
      const Atomic& atomic = *queue[next];
      if (atomic.fetches && value && *value != *atomic.result) continue;
      auto now_taken = taken;
      ++now_taken[rank];
      position_one(now_taken, value, followed, edges, atomic);
    }
    if (all) found_.insert(edges);
  }

  void position_one(const std::map<int, std::size_t>& taken, std::optional<std::uint64_t> value,
                    std::vector<const Atomic*> followed, Edges edges, const Atomic& atomic) {
    if (atomic.fetches) {
      value = atomic.result;
      for (const Atomic* writer :
           partial_sums_order_ ? followed : without_partial_sums(taken, followed))
        if (writer->event.rank != atomic.event.rank)
          edges.insert({start_of(writer->event), return_of(*atomic.known)});
    }
    if (!writes(atomic)) return position(taken, value, followed, edges);
    const bool sum = atomic.op == ReduceOp::Sum;
    const bool idle =
        (value && value == value_after(atomic.op, element(atomic), *value, atomic.operand)) ||
        (sum && atomic.operand == 0);
    if (idle && !idle_ones_write_) return position(taken, value, followed, edges);
    if (!atomic.fetches && atomic.op == ReduceOp::Replace) followed.clear();
    followed.push_back(&atomic);
    if (!value && atomic.op == ReduceOp::Replace)
      value = atomic.operand;
    else if (!value && !sum)
      undecided_ = true;
    else if (value) {
      value = value_after(atomic.op, element(atomic), *value, atomic.operand);
      if (!value) undecided_ = true;
    }
    position(taken, value, followed, edges);
  }

  static bool is_plain_sum(const Atomic& atomic) {
    return !atomic.fetches && atomic.op == ReduceOp::Sum;
  }

  // What was written after the last plain sum, if another rank still has a plain sum.
  std::vector<const Atomic*> without_partial_sums(
      const std::map<int, std::size_t>& taken, const std::vector<const Atomic*>& followed) const {
    std::size_t from = 0;
    for (std::size_t i = 0; i < followed.size(); ++i)
      for (const auto& [rank, queue] : queues_)
        for (std::size_t next = taken.at(rank); next < queue.size(); ++next)
          if (is_plain_sum(*followed[i]) && rank != followed[i]->event.rank &&
              is_plain_sum(*queue[next]))
            from = i + 1;
    return {followed.begin() + static_cast<std::ptrdiff_t>(from), followed.end()};
  }

  const History& history_;
  std::map<int, std::vector<const Atomic*>> queues_;  // of each rank
  std::set<Edges> found_;
  std::size_t steps_ = 0;
  bool too_many_ = false, undecided_ = false, idle_ones_write_ = true, partial_sums_order_ = true;
};

// Sync points: blocking collectives over all ranks that order all with all.
std::vector<std::vector<std::size_t>> find_sync_points(const History& history) {
  const std::size_t ranks = history.execution.ranks.size();
  std::vector<std::vector<std::size_t>> sync_points(ranks);
  for (const auto& [key, all] : history.collectives) {
    if (all.size() != ranks) continue;
    const bool is_sync_point = std::all_of(all.begin(), all.end(), [&](const Joined& joined) {
      const Event& event = history.execution.ranks[static_cast<std::size_t>(joined.event.rank)]
                               .events[joined.event.event];
      if (traits(event.call).when == When::Starts || joined.done.empty()) return false;
      switch (joined.action) {
        case Action::Fence:
          return true;
        case Action::WinFree:
          return true;
        case Action::Barrier:
        case Action::CommCreate:
        case Action::WinCreate:
          return joined.comm->remote_group == GroupId(0);
        case Action::Allgather:
        case Action::Alltoall:
        case Action::Allreduce:
        case Action::ReduceScatter:
          return joined.comm->remote_group == GroupId(0) && joined.gives && joined.takes;
        default:
          return false;
      }
    });
    if (!is_sync_point) continue;
    for (const Joined& joined : all)
      sync_points[static_cast<std::size_t>(joined.event.rank)].push_back(joined.event.event);
  }
  return sync_points;
}

class Sorter {
 public:
  explicit Sorter(const History& history)
      : history_(history), sync_points_(find_sync_points(history)) {}

  AtomicOrders orders() {
    AtomicOrders orders{{Edges{}}, {}, ""};
    std::vector<bool> seen(history_.atomics.size());
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i]) continue;
      std::vector<std::size_t> meeting = all_that_meet(i);
      for (const std::size_t index : meeting) seen[index] = true;
      const Edges might_be = conceivable(meeting);
      if (might_be.empty()) continue;
      const std::string open = add(meeting, orders);
      if (open.empty()) continue;
      orders.doubtful.insert(might_be.begin(), might_be.end());
      orders.why = open;
    }
    return orders;
  }

 private:
  const Touch& touch(const Atomic& atomic) const { return history_.touches[atomic.touch]; }

  std::uint64_t begin(const Atomic& atomic) const {
    return touch(atomic).bytes.begin()->first + atomic.element * touch(atomic).element.size;
  }
  std::uint64_t end(const Atomic& atomic) const {
    return begin(atomic) + touch(atomic).element.size;
  }

  bool meet(const Atomic& a, const Atomic& b) const {
    return touch(a).owner == touch(b).owner && begin(a) < end(b) && begin(b) < end(a);
  }

  // The atomic and all that overlap it, transitively.
  std::vector<std::size_t> all_that_meet(std::size_t first) const {
    std::vector<std::size_t> found{first};
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t other = 0; other < history_.atomics.size(); ++other)
        if (std::find(found.begin(), found.end(), other) == found.end() &&
            meet(history_.atomics[found[i]], history_.atomics[other]))
          found.push_back(other);
    std::sort(found.begin(), found.end());
    return found;
  }

  // All edges from an atomic of one rank that may have written to one of another rank that may have
  // observed it.
  Edges conceivable(const std::vector<std::size_t>& meeting) const {
    Edges edges;
    for (const std::size_t reader : meeting)
      for (const std::size_t writer : meeting) {
        const Atomic &a = history_.atomics[reader], &b = history_.atomics[writer];
        if (a.known && b.op != ReduceOp::NoOp && a.event.rank != b.event.rank)
          edges.insert({start_of(b.event), return_of(*a.known)});
      }
    return edges;
  }

  std::size_t phase(int rank, Timestamp at) const {
    const auto& sync_points = sync_points_[static_cast<std::size_t>(rank)];
    return static_cast<std::size_t>(
        std::count_if(sync_points.begin(), sync_points.end(),
                      [&](std::size_t sync_point) { return 2 * sync_point < at; }));
  }

  const char* what_is_open(const Atomic& atomic, const Atomic& first) const {
    const Touch& there = touch(atomic);
    if (begin(atomic) != begin(first) || !(there.element == touch(first).element))
      return "atomics on different elements";
    if (atomic.fetches && !atomic.result) return "an atomic without its result";
    if (there.end == kNever && there.ends.empty()) return "an atomic that never completed";
    const Timestamp end = atomic.known ? return_of(*atomic.known).at : there.end;
    if (end != kNever && phase(atomic.event.rank, there.begin) != phase(atomic.event.rank, end)) {
      const bool at_fence = atomic.known && 2 * atomic.known->event == there.end;
      if (!at_fence) return "an atomic open over a cut";
    }
    if (!atomic.fetches && atomic.op != ReduceOp::Sum && atomic.op != ReduceOp::Replace)
      return "a plain atomic that is no sum";
    return nullptr;
  }

  // Whether a store, a put or an accumulate that is not analyzed may have come between it and
  // others of its phase.
  bool others_write(const Atomic& atomic) const {
    const std::size_t now = phase(atomic.event.rank, touch(atomic).begin);
    for (std::size_t i = 0; i < history_.touches.size(); ++i) {
      const Touch& other = history_.touches[i];
      const bool writes = other.kind == AccessKind::Store || other.kind == AccessKind::Put ||
                          other.kind == AccessKind::Accumulate;
      if (!writes || other.op == ReduceOp::NoOp || other.owner != touch(atomic).owner ||
          is_atomic(i))
        continue;
      if (phase(other.event.rank, other.begin) > now || phase(other.event.rank, other.end) < now)
        continue;
      for (std::uint64_t address = begin(atomic); address < end(atomic); ++address)
        if (other.bytes.count(address) != 0) return true;
    }
    return false;
  }

  bool is_atomic(std::size_t index) const {
    return std::any_of(history_.atomics.begin(), history_.atomics.end(),
                       [&](const Atomic& atomic) { return atomic.touch == index; });
  }

  // Returns why it is impossible, or an empty string.
  std::string add(const std::vector<std::size_t>& meeting, AtomicOrders& orders) const {
    std::map<std::size_t, std::vector<const Atomic*>> by_phase;
    for (const std::size_t index : meeting) {
      const Atomic& atomic = history_.atomics[index];
      if (const char* open = what_is_open(atomic, history_.atomics[meeting[0]])) return open;
      if (others_write(atomic)) return "atomics on what others write";
      by_phase[phase(atomic.event.rank, touch(atomic).begin)].push_back(&atomic);
    }
    std::vector<Edges> sets = orders.sets;
    for (const auto& [phase, atomics] : by_phase) {
      const std::optional<std::set<Edges>> found = Location(history_, atomics).find();
      if (!found) return "atomics in too many orders";
      if (found->empty()) return "atomics that found what no order explains";
      sets = multiplied(sets, *found);
      if (sets.size() > kMostSets) return "atomics in too many orders";
    }
    orders.sets = std::move(sets);
    return "";
  }

  static std::vector<Edges> multiplied(const std::vector<Edges>& sets, const std::set<Edges>& by) {
    std::vector<Edges> made;
    for (const Edges& before : sets)
      for (const Edges& more : by) {
        made.push_back(before);
        made.back().insert(more.begin(), more.end());
      }
    return made;
  }

  const History& history_;
  const std::vector<std::vector<std::size_t>> sync_points_;
};

}  // namespace

AtomicOrders order_atomics(const History& history) { return Sorter(history).orders(); }

}  // namespace photofinish::testing
