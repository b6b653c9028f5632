// Rule: a rank's atomics stay in their order. One that fetched can come next only if it found the value that is there. Of those that
// can, the soonest in time does: clocks may differ, but mostly that is how it was, and nothing follows from it by itself. When
// none can, the search goes back to the last choice; it gives up after a fixed number of steps.
// Where the first value is not known, 0 and what each rank found first are tried. When nothing explains a value, somebody else
// wrote it (a store, a put), and nothing that came before is followed.
// Misses: order that only a particular choice would have given; plain sums of which some, but not all, have been seen.
#include "detect/atomics.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <optional>

#include "order/keys.h"

namespace photofinish {
namespace {

std::uint64_t mask_of(Element element) {
  return element.size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * element.size)) - 1;
}

template <class Float, class Bits>
std::uint64_t float_sum(std::uint64_t a, std::uint64_t b) {
  return std::bit_cast<Bits>(static_cast<Float>(std::bit_cast<Float>(static_cast<Bits>(a)) + std::bit_cast<Float>(static_cast<Bits>(b))));
}

// What the location holds after `op` found `value` there; nothing if we cannot compute it.
std::optional<std::uint64_t> written(const AtomicOp& op, std::uint64_t value) {
  const std::uint64_t mask = mask_of(op.element);
  const bool floating = op.element.kind == ElementKind::Floating;
  switch (op.op) {
    case ReduceOp::NoOp: return value;
    case ReduceOp::Replace: return op.operand & mask;
    case ReduceOp::CompareAndSwap: return value == (op.compare & mask) ? op.operand & mask : value;
    case ReduceOp::Sum:
      if (!floating) return (value + op.operand) & mask;
      if (op.element.size == 8) return float_sum<double, std::uint64_t>(value, op.operand);
      if (op.element.size == 4) return float_sum<float, std::uint32_t>(value, op.operand);
      return std::nullopt;
    case ReduceOp::BitAnd: return value & op.operand & mask;
    case ReduceOp::BitOr: return (value | op.operand) & mask;
    case ReduceOp::BitXor: return (value ^ op.operand) & mask;
    case ReduceOp::LogicalAnd: return value != 0 && op.operand != 0 ? 1 : 0;
    case ReduceOp::LogicalOr: return value != 0 || op.operand != 0 ? 1 : 0;
    case ReduceOp::LogicalXor: return (value != 0) != (op.operand != 0) ? 1 : 0;
    case ReduceOp::Max:
    case ReduceOp::Min: {
      if (floating || op.element.kind == ElementKind::None) return std::nullopt;
      const int shift = 64 - 8 * std::min<int>(op.element.size, 8);
      const auto wide = [&](std::uint64_t bits) { return static_cast<std::int64_t>(bits << shift) >> shift; };
      const bool less = op.element.kind == ElementKind::Unsigned ? value < op.operand : wide(value) < wide(op.operand);
      return (less == (op.op == ReduceOp::Max) ? op.operand : value) & mask;
    }
    default: return std::nullopt;
  }
}

bool changes(const AtomicOp& op) {
  if (op.op == ReduceOp::NoOp) return false;
  if (op.fetches && op.has_result) return written(op, op.result) != op.result;
  return true;
}

using Value = AtomicValue;

struct Step {
  const AtomicOp* op = nullptr;
  bool strange = false;        // somebody else wrote what it found
  // Plain ones that could have come in front of it instead of those that did.
  std::vector<const AtomicOp*> plain_left;
};

// The search for an order of one location's atomics in one slice.
class Search {
 public:
  explicit Search(const std::vector<const AtomicOp*>& ops) {
    std::map<WorldRank, std::vector<const AtomicOp*>> by_rank;
    for (const AtomicOp* op : ops) by_rank[op->rank].push_back(op);
    for (auto& [rank, list] : by_rank) {
      std::sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->begin < b->begin; });
      queues_.push_back(std::move(list));
    }
    total_ = ops.size();
  }

  // From `value`, or, if that does not explain all, from 0 or from what somebody found first: whatever explains the most.
  std::vector<Step> run(Value& value) {
    std::vector<std::uint64_t> starts{value.value_or(0), 0};
    for (const auto& queue : queues_)
      if (queue.front()->fetches && queue.front()->has_result) starts.push_back(queue.front()->result);
    std::vector<Step> best;
    Value best_end;
    std::size_t fewest = total_ + 1;
    for (std::size_t i = 0; i < starts.size() && fewest > 0; ++i) {
      if (std::find(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(i), starts[i]) != starts.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      std::vector<Step> steps = run_from(starts[i], i > 0 || !value);
      const auto strangers = static_cast<std::size_t>(
          std::count_if(steps.begin() + 1, steps.end(), [](const Step& step) { return step.strange; }));
      if (strangers >= fewest) continue;
      fewest = strangers;
      best = std::move(steps);
      best_end = state_.value;
    }
    value = best_end;
    return best;
  }

 private:
  static constexpr std::size_t kMaxRetries = 1000;

  std::vector<Step> run_from(std::uint64_t value, bool strange) {
    state_ = {std::vector<std::size_t>(queues_.size(), 0), value, 0, {}, strange};
    steps_.clear();
    choices_.clear();
    std::size_t retries = 0;
    while (steps_.size() < total_) {
      if (advance()) continue;
      if (!choices_.empty() && retries++ < kMaxRetries) back();
      else take_strange();
    }
    return std::move(steps_);
  }

  struct State {
    std::vector<std::size_t> next;  // by rank
    Value value;
    std::size_t taken = 0;
    std::vector<std::size_t> untried;  // ranks that could have come instead
    bool strange = false;              // somebody else wrote since the last step
  };

  const AtomicOp* head(std::size_t queue) const {
    return state_.next[queue] < queues_[queue].size() ? queues_[queue][state_.next[queue]] : nullptr;
  }

  void take(std::size_t queue) {
    const AtomicOp* op = head(queue);
    const bool informs = op->fetches && op->has_result;
    Step step{op, state_.strange, {}};
    for (std::size_t other = 0; op->fetches && other < queues_.size(); ++other)
      if (other != queue && head(other) != nullptr && !head(other)->fetches) step.plain_left.push_back(head(other));
    steps_.push_back(std::move(step));
    state_.strange = false;
    ++state_.next[queue];
    if (informs) state_.value = op->result;
    if (op->fetches && !op->has_result) state_.value.reset();
    else if (state_.value || op->op == ReduceOp::Replace) state_.value = written(*op, state_.value.value_or(0));
  }

  // One more step, if some atomic explains itself; the others that would are remembered.
  bool advance() {
    std::vector<std::size_t> candidates;
    for (std::size_t queue = 0; queue < queues_.size(); ++queue)
      if (const AtomicOp* op = head(queue); op != nullptr && fits(*op)) candidates.push_back(queue);
    if (candidates.empty()) return false;
    std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t a, std::size_t b) { return sooner(*head(a), *head(b)); });
    const std::size_t first = candidates.front();
    if (candidates.size() > 1) {
      candidates.erase(candidates.begin());
      choices_.push_back(state_);
      choices_.back().taken = steps_.size();
      choices_.back().untried = std::move(candidates);
    }
    take(first);
    return true;
  }

  // Who only looked may have done so as late as its start; who wrote, at the latest when it was done.
  static bool sooner(const AtomicOp& a, const AtomicOp& b) {
    const auto when = [](const AtomicOp& op) { return changes(op) ? op.done_ns : op.start_ns; };
    return when(a) < when(b);
  }

  bool fits(const AtomicOp& op) const { return !op.fetches || !op.has_result || state_.value == op.result; }

  void back() {
    State& choice = choices_.back();
    const std::size_t queue = choice.untried.front();
    choice.untried.erase(choice.untried.begin());
    state_ = choice;
    steps_.resize(choice.taken);
    if (choice.untried.empty()) choices_.pop_back();
    take(queue);
  }

  // Nothing explains the next value: somebody else wrote 0, or what one is about to find; that from which it goes on the furthest.
  void take_strange() {
    const State here = state_;
    const std::size_t taken = steps_.size();
    std::vector<std::uint64_t> values{0};
    for (std::size_t queue = 0; queue < queues_.size(); ++queue)
      if (const AtomicOp* op = head(queue); op != nullptr && op->fetches && op->has_result) values.push_back(op->result);
    std::uint64_t best = 0;
    std::size_t furthest = taken;
    for (const std::uint64_t value : values) {
      state_ = here;
      state_.value = value;
      while (steps_.size() < total_ && advance()) {}
      if (steps_.size() > furthest) furthest = steps_.size(), best = value;
      steps_.resize(taken);
      choices_.clear();
    }
    state_ = here;
    state_.value = best;
    state_.strange = true;
  }

  std::vector<std::vector<const AtomicOp*>> queues_;
  std::size_t total_ = 0;
  State state_;
  std::vector<State> choices_;
  std::vector<Step> steps_;
};

// What can be followed at one location: those who wrote since the last one that overwrote without looking.
class Chain {
 public:
  explicit Chain(std::uint64_t location) : location_(location) {}

  void add(const Step& step) {
    const AtomicOp& op = *step.op;
    if (step.strange) restart();
    if (!op.fetches) {
      if (op.op == ReduceOp::Replace) restart();
      if (op.op == ReduceOp::Replace) say(op);
      else plain_.push_back(&op);
      return;
    }
    // A plain one has shown if no other rank's of its kind could have come in its place.
    std::erase_if(plain_, [&](const AtomicOp* plain) {
      for (const AtomicOp* other : step.plain_left)
        if (other->rank != plain->rank && other->op == plain->op) return false;
      say(*plain);
      return true;
    });
    if (op.has_result && op.known != kNever && place_ > 0)
      signals_.push_back({op.rank, op.known_after, {op.known, key(), true, place_, true}});
    if (changes(op)) say(op);
  }

  std::vector<RankSignal> take() { return std::move(signals_); }

 private:
  std::uint64_t key() const { return signal_key(Channel::Atomic, location_, number_); }
  void restart() {
    ++number_;
    place_ = 0;
    plain_.clear();
  }
  void say(const AtomicOp& op) { signals_.push_back({op.rank, op.after, {op.begin, key(), false, place_++, true}}); }

  const std::uint64_t location_;
  std::uint64_t number_ = 0, place_ = 0;
  std::vector<const AtomicOp*> plain_;  // that no result has shown to be in yet
  std::vector<RankSignal> signals_;
};

}  // namespace

std::vector<RankSignal> order_atomics(std::vector<AtomicOp> ops, std::uint64_t location, AtomicValue& value) {
  const bool anybody_looks = std::any_of(ops.begin(), ops.end(), [](const AtomicOp& op) { return op.fetches && op.has_result; });
  const bool one_element = std::all_of(ops.begin(), ops.end(), [&](const AtomicOp& op) { return op.element == ops.front().element; });
  if (!anybody_looks || !one_element) {
    value.reset();
    return {};
  }
  std::stable_sort(ops.begin(), ops.end(), [](const AtomicOp& a, const AtomicOp& b) { return a.after < b.after; });
  Chain chain(location);
  for (std::size_t first = 0; first < ops.size();) {
    std::vector<const AtomicOp*> slice;
    for (const Cut after = ops[first].after; first < ops.size() && ops[first].after == after; ++first) slice.push_back(&ops[first]);
    for (const Step& step : Search(slice).run(value)) chain.add(step);
  }
  return chain.take();
}

}  // namespace photofinish
