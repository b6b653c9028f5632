#include "oracle.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "oracle_order.h"

namespace photofinish::testing {
namespace {

class Judge {
 public:
  Judge(const History& history, const Reachability& reaches, const Edges& of_atomics)
      : history_(history), reaches_(reaches) {
    for (const Atomic& atomic : history.atomics)
      for (const auto& [from, to] : of_atomics)
        if (from == start_of(atomic.event)) found_[&history.touches[atomic.touch]].push_back(to);
  }

  std::set<RacingPair> races() const {
    std::set<RacingPair> found;
    for (std::size_t i = 0; i < history_.touches.size(); ++i)
      for (std::size_t j = i + 1; j < history_.touches.size(); ++j) {
        const Touch &a = history_.touches[i], &b = history_.touches[j];
        const std::optional<Reason> reason = race(a, b);
        if (!reason) continue;
        RacingSide one = side(a), other = side(b);
        if (other < one) std::swap(one, other);
        found.insert({a.owner, one, other, *reason});
      }
    return found;
  }

 private:
  RacingSide side(const Touch& touch) const {
    const auto& events =
        history_.execution.ranks[static_cast<std::size_t>(touch.event.rank)].events;
    return {touch.event.rank, events[touch.event.event].site, touch.kind};
  }

  std::uint32_t task(const Touch& touch) const {
    return task_of_event(history_.execution.ranks[static_cast<std::size_t>(touch.event.rank)]
                             .events[touch.event.event]);
  }

  std::optional<Reason> race(const Touch& a, const Touch& b) const {
    if (a.owner != b.owner || a.operation == b.operation) return {};
    const std::optional<Reason> reason = may_not_meet(a, b);
    if (!reason || before(a, b) || before(b, a) || protected_by_common_lock(a, b)) return {};
    if (*reason != Reason::SeparateModel && (found_before(a, b) || found_before(b, a))) return {};
    return reason;
  }

  // --- order

  bool is_fence(Point point) const {
    const Event& event =
        history_.execution.ranks[static_cast<std::size_t>(point.rank)].events[point.at / 2];
    return traits(event.call).action == Action::Fence;
  }

  bool before(const Touch& a, const Touch& b) const {
    for (const Point& end : a.ends)
      for (const Point& begin : b.begins)
        if (reaches_(end, begin) || (end == begin && is_fence(end))) return true;
    return false;
  }

  // The effect of `a` was observed by an atomic that precedes `b`.
  bool found_before(const Touch& a, const Touch& b) const {
    const auto found = found_.find(&a);
    if (found == found_.end()) return false;
    for (const Point& check : found->second)
      for (const Point& begin : b.begins)
        if (reaches_(check, begin)) return true;
    return false;
  }

  // --- locks

  static bool covers(const LockSpan& lock, const Touch& touch) {
    return lock.checked && lock.taken < touch.begin &&
           (lock.released == kNever || (touch.end != kNever && touch.end <= lock.released));
  }

  // A rank's lock does not exclude its own operations.
  bool protected_by_common_lock(const Touch& a, const Touch& b) const {
    if (a.event.rank == b.event.rank) return false;
    for (const LockSpan& one : history_.locks[static_cast<std::size_t>(a.event.rank)])
      for (const LockSpan& other : history_.locks[static_cast<std::size_t>(b.event.rank)])
        if (one.win == other.win && (!one.target || !other.target || one.target == other.target) &&
            (one.exclusive || other.exclusive) && covers(one, a) && covers(other, b))
          return true;
    return false;
  }

  // --- kinds

  std::optional<Reason> may_not_meet(const Touch& a, const Touch& b) const {
    bool overlap = false, coincide = true;
    for (const auto& [address, element] : a.bytes) {
      const auto common = b.bytes.find(address);
      if (common == b.bytes.end()) continue;
      overlap = true;
      coincide = coincide && common->second == element;
    }
    if (!overlap)
      return meet_in_separate_window(a, b) || meet_in_separate_window(b, a)
                 ? std::optional(Reason::SeparateModel)
                 : std::nullopt;
    if (a.kind == AccessKind::Accumulate && b.kind == AccessKind::Accumulate)
      return accumulates_may_not_meet(a, b, coincide);
    if (!(a.kind <= b.kind ? conflict(a, b) : conflict(b, a))) return {};
    return a.event.rank == b.event.rank && task(a) == task(b) ? Reason::NotComplete
                                                              : Reason::NoOrder;
  }

  // The upper right half of the documented table: a.kind <= b.kind.
  static bool conflict(const Touch& a, const Touch& b) {
    const bool only_reads = b.kind == AccessKind::Accumulate && b.op == ReduceOp::NoOp;
    switch (a.kind) {
      case AccessKind::Load:
        if (b.kind == AccessKind::Store)
          return a.event.rank != b.event.rank || a.pending || b.pending;
        return b.kind == AccessKind::Put || (b.kind == AccessKind::Accumulate && !only_reads);
      case AccessKind::Store:
        if (b.kind == AccessKind::Store)
          return a.event.rank != b.event.rank || a.pending || b.pending;
        return true;
      case AccessKind::Get:
        return b.kind == AccessKind::Put || (b.kind == AccessKind::Accumulate && !only_reads);
      default:
        return true;
    }
  }

  std::optional<Reason> accumulates_may_not_meet(const Touch& a, const Touch& b,
                                                 bool coincide) const {
    if (a.op == ReduceOp::NoOp && b.op == ReduceOp::NoOp) return {};
    if (!coincide || !(a.element == b.element)) return Reason::MixedElements;
    const WinDefinition& first = *window_of(history_.execution, a.owner, a.win);
    const WinDefinition& second = *window_of(history_.execution, b.owner, b.win);
    if (a.event.rank == b.event.rank && a.win == b.win && first.accumulate_ordering != "none")
      return {};
    if (a.op == b.op) return {};
    if (first.accumulate_ops == "same_op" || second.accumulate_ops == "same_op")
      return Reason::MixedOperations;
    if (!history_.execution.options.strict_accumulate_ops || a.op == ReduceOp::NoOp ||
        b.op == ReduceOp::NoOp)
      return {};
    return Reason::MixedOperations;
  }

  bool meet_in_separate_window(const Touch& store, const Touch& update) const {
    if (store.kind != AccessKind::Store) return false;
    if (update.kind != AccessKind::Put &&
        !(update.kind == AccessKind::Accumulate && update.op != ReduceOp::NoOp))
      return false;
    const WinDefinition& window = *window_of(history_.execution, update.owner, update.win);
    if (window.unified || update.bytes.empty()) return false;
    return std::any_of(store.bytes.begin(), store.bytes.end(), [&](const auto& byte) {
      return byte.first >= window.base && byte.first < window.base + window.size;
    });
  }

  const History& history_;
  const Reachability& reaches_;
  std::map<const Touch*, std::vector<Point>> found_;  // who observed the effect of an atomic
};

}  // namespace

// More edges mean fewer races. Races that are the same with all and with none of the doubtful edges
// are certain.
Verdict judge(const Execution& execution) {
  const History all_completed(execution);
  const Edges edges = find_edges(all_completed);
  const Reachability order(execution, edges);
  const History history(execution, [&](Ref operation, Ref completing) {
    return order(start_of(operation), start_of(completing));
  });
  const AtomicOrders orders = order_atomics(history);
  const auto races = [&](const Reachability& reaches, const Edges& of_atomics) {
    return Judge(history, reaches, of_atomics).races();
  };
  std::optional<std::set<RacingPair>> found;
  for (const Edges& of_atomics : orders.sets) {
    Edges all = edges;
    all.insert(of_atomics.begin(), of_atomics.end());
    const Reachability reaches(execution, all);
    if (reaches.has_cycle()) return {"atomics in an order that contradicts another", {}};
    std::set<RacingPair> one = races(reaches, of_atomics);
    if (found && *found != one) return {"atomics in different orders, with different findings", {}};
    found = std::move(one);
    if (orders.doubtful.empty()) continue;
    all.insert(orders.doubtful.begin(), orders.doubtful.end());
    Edges at_most_of_atomics = of_atomics;
    at_most_of_atomics.insert(orders.doubtful.begin(), orders.doubtful.end());
    const Reachability at_most(execution, all);
    if (at_most.has_cycle() || races(at_most, at_most_of_atomics) != *found)
      return {orders.why, {}};
  }
  return {"", *found};
}

std::set<std::pair<Ref, Ref>> matched_messages(const Execution& execution) {
  return match_messages(History(execution));
}

std::string text(const RacingPair& pair) {
  static constexpr std::string_view kKinds[] = {"load", "store", "get", "put", "accumulate"};
  static constexpr std::string_view kReasons[] = {"not complete", "no order", "separate model",
                                                  "mixed elements", "mixed operations"};
  std::ostringstream out;
  const auto show = [&](const RacingSide& side) {
    out << kKinds[static_cast<std::size_t>(side.kind)] << " of rank " << side.rank << " event "
        << side.site.value - 1;
  };
  out << "in rank " << pair.owner << "'s memory: ";
  show(pair.one);
  out << ", ";
  show(pair.other);
  out << ": " << kReasons[static_cast<std::size_t>(pair.reason)] << '\n';
  return out.str();
}

std::string text(const std::set<RacingPair>& pairs) {
  std::string all;
  for (const RacingPair& pair : pairs) all += text(pair);
  return all;
}

}  // namespace photofinish::testing
