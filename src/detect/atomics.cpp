// Reconstructs the order of the atomics at one location from operands and results.
//
// Rule:
// - The atomics of a rank stay in program order. If two ranks share a clock, an atomic that was
//   done before another began stays before it.
// - A fetching atomic can come next only if its result is the current value. Among several
//   candidates, the one that was done first comes next. If there is none, the search backtracks to
//   the last choice.
// - If the search takes too long, each reader follows all atomics that had begun by then. A
//   superfluous edge hides a race; a missing one invents one.
// - If the initial value is unknown, 0 and the first result of each rank are tried.
// - If no order explains a value, something else wrote it, such as a put. The reader then follows
//   no earlier atomic.
// - If the owner stores to the location, its store values are unknown. Each reader then follows all
//   atomics that had begun by then; for flags (set without fetching), those that wrote the value it
//   found.
//
// Misses: order that only one of several possible choices implies; plain sums of which some, but
// not all, are visible in a result.
#include "detect/atomics.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "order/keys.h"

namespace photofinish {
namespace {

std::uint64_t mask_of(Element element) {
  return element.size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * element.size)) - 1;
}

template <class Float, class Bits>
std::uint64_t float_sum(std::uint64_t a, std::uint64_t b) {
  return std::bit_cast<Bits>(static_cast<Float>(std::bit_cast<Float>(static_cast<Bits>(a)) +
                                                std::bit_cast<Float>(static_cast<Bits>(b))));
}

}  // namespace

AtomicValue written(const AtomicOp& op, std::uint64_t value) {
  const std::uint64_t mask = mask_of(op.element);
  const bool floating = op.element.kind == ElementKind::Floating;
  switch (op.op) {
    case ReduceOp::NoOp:
      return value;
    case ReduceOp::Replace:
      return op.operand & mask;
    case ReduceOp::CompareAndSwap:
      return value == (op.compare & mask) ? op.operand & mask : value;
    case ReduceOp::Sum:
      if (!floating) return (value + op.operand) & mask;
      if (op.element.size == 8) return float_sum<double, std::uint64_t>(value, op.operand);
      if (op.element.size == 4) return float_sum<float, std::uint32_t>(value, op.operand);
      return std::nullopt;
    case ReduceOp::BitAnd:
      return value & op.operand & mask;
    case ReduceOp::BitOr:
      return (value | op.operand) & mask;
    case ReduceOp::BitXor:
      return (value ^ op.operand) & mask;
    case ReduceOp::LogicalAnd:
      return value != 0 && op.operand != 0 ? 1 : 0;
    case ReduceOp::LogicalOr:
      return value != 0 || op.operand != 0 ? 1 : 0;
    case ReduceOp::LogicalXor:
      return (value != 0) != (op.operand != 0) ? 1 : 0;
    case ReduceOp::Max:
    case ReduceOp::Min: {
      if (floating || op.element.kind == ElementKind::None) return std::nullopt;
      const int shift = 64 - 8 * std::min<int>(op.element.size, 8);
      const auto wide = [&](std::uint64_t bits) {
        return static_cast<std::int64_t>(bits << shift) >> shift;
      };
      const bool less = op.element.kind == ElementKind::Unsigned ? value < op.operand
                                                                 : wide(value) < wide(op.operand);
      return (less == (op.op == ReduceOp::Max) ? op.operand : value) & mask;
    }
    default:
      return std::nullopt;
  }
}

namespace {

bool changes(const AtomicOp& op) {
  if (op.op == ReduceOp::NoOp) return false;
  if (op.fetches && op.has_result) return written(op, op.result) != op.result;
  return true;
}

using Value = AtomicValue;

bool is_store(const AtomicOp& op) { return op.op == ReduceOp::None; }
bool informs(const AtomicOp& op) { return op.fetches && op.has_result; }
bool only_checks(const AtomicOp& op) { return informs(op) && !changes(op); }

// True only for ranks with a common clock.
bool surely_sooner(const AtomicOp& a, const AtomicOp& b) {
  return a.clock_id != 0 && a.clock_id == b.clock_id && a.done < b.start;
}

struct Step {
  const AtomicOp* op = nullptr;
  std::uint32_t queue = 0;
  bool strange = false;  // something other than these atomics wrote the value that it found
  Value before, after;   // value of the location
};

using Queue = std::vector<const AtomicOp*>;

// One queue per rank, in program order.
std::vector<Queue> queues_of(const std::vector<const AtomicOp*>& ops) {
  std::map<std::pair<WorldRank, std::uint32_t>, Queue> by_task;
  for (const AtomicOp* op : ops) by_task[{op->rank, task_of(op->begin)}].push_back(op);
  std::vector<Queue> queues;
  for (auto& [task, queue] : by_task) {
    std::sort(queue.begin(), queue.end(),
              [](const auto* a, const auto* b) { return a->begin < b->begin; });
    queues.push_back(std::move(queue));
  }
  return queues;
}

// The ops of each clock, sorted by completion. An op may come next only if it started before the
// first remaining op was done.
class Deadlines {
 public:
  explicit Deadlines(const std::vector<Queue>& queues) {
    for (const Queue& queue : queues)
      for (const AtomicOp* op : queue)
        if (op->clock_id != 0) lines_[op->clock_id].ops.push_back(op);
    for (auto& [id, line] : lines_) {
      std::stable_sort(line.ops.begin(), line.ops.end(),
                       [](const auto* a, const auto* b) { return a->done < b->done; });
      line.taken.assign(line.ops.size(), false);
      for (std::size_t i = 0; i < line.ops.size(); ++i) position_[line.ops[i]] = {&line, i};
    }
  }

  bool may_come(const AtomicOp& op) const {
    if (op.clock_id == 0) return true;
    const Line& line = lines_.at(op.clock_id);
    return op.start <= line.ops[line.first]->done;
  }
  void take(const AtomicOp& op) {
    if (op.clock_id == 0) return;
    const auto [line, at] = position_.at(&op);
    line->taken[at] = true;
    while (line->first < line->taken.size() && line->taken[line->first]) ++line->first;
  }
  void put_back(const AtomicOp& op) {
    if (op.clock_id == 0) return;
    const auto [line, at] = position_.at(&op);
    line->taken[at] = false;
    line->first = std::min(line->first, at);
  }

 private:
  struct Line {
    std::vector<const AtomicOp*> ops;
    std::vector<bool> taken;
    std::size_t first = 0;  // not taken yet
  };
  std::map<std::uint64_t, Line> lines_;
  std::unordered_map<const AtomicOp*, std::pair<Line*, std::size_t>> position_;
};

// Searches for an order of the atomics at one location in one phase.
class Search {
 public:
  explicit Search(const std::vector<Queue>& queues)
      : queues_(queues), deadlines_(queues), next_(queues.size(), 0) {
    for (const Queue& queue : queues) total_ += queue.size();
  }

  // Starts from `value`. If that does not explain all results, tries 0 and the first result of each
  // rank, and returns the order that explains the most. nullopt: the search takes too long.
  std::optional<std::vector<Step>> run(Value& value) {
    std::vector<std::uint64_t> starts{value.value_or(0), 0};
    for (const Queue& queue : queues_)
      if (informs(*queue.front())) starts.push_back(queue.front()->result);
    std::optional<std::vector<Step>> best;
    std::size_t fewest = total_ + 1;
    for (std::size_t i = 0; i < starts.size() && fewest > 0; ++i) {
      if (std::find(starts.begin(), starts.begin() + static_cast<std::ptrdiff_t>(i), starts[i]) !=
          starts.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      auto steps = run_from(starts[i], i > 0 || !value);
      if (!steps) continue;
      const auto strangers = static_cast<std::size_t>(std::count_if(
          steps->begin() + 1, steps->end(), [](const Step& step) { return step.strange; }));
      if (strangers >= fewest) continue;
      fewest = strangers;
      best = std::move(steps);
    }
    value = best ? best->back().after : std::nullopt;
    return best;
  }

 private:
  static constexpr std::size_t kProbe = 256;  // lookahead for a guessed value

  struct Choice {
    std::size_t taken = 0;
    // Queues that could have come instead, the most likely last.
    std::vector<std::uint32_t> untried;
  };

  std::optional<std::vector<Step>> run_from(std::uint64_t value, bool strange) {
    while (!steps_.empty()) undo();
    value_ = value;
    strange_ = strange;
    longest_.clear();
    budget_ = 10'000 + 50 * total_;
    restart();
    while (steps_.size() < total_) {
      if (budget_ == 0) return std::nullopt;
      if (advance()) continue;
      --budget_;  // also where nothing may come, by clocks that contradict the queues
      if (steps_.size() > longest_.size()) longest_ = steps_;
      if (back()) continue;
      while (!steps_.empty()) undo();
      for (const Step& step : longest_)
        strange_ = step.strange, value_ = step.before, take(step.queue);
      take_strange();
      longest_.clear();
      restart();
    }
    return steps_;
  }

  void restart() {
    choices_.clear();
    seen_.clear();
  }

  const AtomicOp* head(std::size_t queue) const {
    return next_[queue] < queues_[queue].size() ? queues_[queue][next_[queue]] : nullptr;
  }

  void take(std::uint32_t queue) {
    const AtomicOp* op = head(queue);
    Step step{op, queue, strange_, value_, {}};
    strange_ = false;
    ++next_[queue];
    if (informs(*op)) value_ = op->result;
    if (op->fetches && !op->has_result)
      value_.reset();
    else if (value_ || op->op == ReduceOp::Replace)
      value_ = written(*op, value_.value_or(0));
    step.after = value_;
    deadlines_.take(*op);
    steps_.push_back(step);
    if (budget_ > 0) --budget_;
  }

  void undo() {
    const Step& step = steps_.back();
    --next_[step.queue];
    deadlines_.put_back(*step.op);
    value_ = step.before;
    strange_ = step.strange;
    steps_.pop_back();
  }

  bool fits(const AtomicOp& op) const {
    return (!informs(op) || value_ == op.result) && deadlines_.may_come(op);
  }

  // Takes one more step, if an atomic explains its result. A read-only atomic changes nothing for
  // the others, so it comes at once. Otherwise takes the candidate that was done first, and
  // remembers the others.
  bool advance() {
    std::vector<std::uint32_t> candidates;
    for (std::uint32_t queue = 0; queue < queues_.size(); ++queue) {
      const AtomicOp* op = head(queue);
      if (op == nullptr || !fits(*op)) continue;
      if (only_checks(*op)) return take(queue), true;
      candidates.push_back(queue);
    }
    if (candidates.empty()) return false;
    if (candidates.size() > 1) {
      if (!seen_.insert(state()).second) return false;
      std::stable_sort(candidates.begin(), candidates.end(),
                       [&](auto a, auto b) { return head(a)->done > head(b)->done; });
    }
    const std::uint32_t first = candidates.back();
    candidates.pop_back();
    if (!candidates.empty()) choices_.push_back({steps_.size(), std::move(candidates)});
    take(first);
    return true;
  }

  // A hash of what has been taken and of the current value. A state that was seen before need not
  // be searched again.
  std::uint64_t state() const {
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    XXH3_64bits_update(&hash, next_.data(), next_.size() * sizeof next_[0]);
    const std::uint64_t held[] = {value_.has_value(), value_.value_or(0)};
    XXH3_64bits_update(&hash, held, sizeof held);
    return XXH3_64bits_digest(&hash);
  }

  bool back() {
    if (choices_.empty()) return false;
    Choice& choice = choices_.back();
    const std::uint32_t queue = choice.untried.back();
    while (steps_.size() > choice.taken) undo();
    choice.untried.pop_back();
    if (choice.untried.empty()) choices_.pop_back();
    take(queue);
    return true;
  }

  // No atomic explains the next value. Assumes that something else wrote 0 or the result of a next
  // atomic: the value from which the search gets furthest.
  void take_strange() {
    const std::size_t taken = steps_.size();
    const Value here = value_;
    std::vector<std::uint64_t> values{0};
    for (std::size_t queue = 0; queue < queues_.size(); ++queue)
      if (const AtomicOp* op = head(queue);
          op != nullptr && informs(*op) && deadlines_.may_come(*op))
        values.push_back(op->result);
    std::uint64_t best = 0;
    std::size_t furthest = taken;
    for (const std::uint64_t value : values) {
      restart();
      value_ = value;
      while (steps_.size() < total_ && steps_.size() < taken + kProbe && advance()) {
      }
      if (steps_.size() > furthest) furthest = steps_.size(), best = value;
      while (steps_.size() > taken) undo();
      value_ = here;
    }
    value_ = best;
    strange_ = true;
  }

  const std::vector<Queue>& queues_;
  std::size_t total_ = 0;
  Deadlines deadlines_;
  std::vector<std::size_t> next_;  // by queue
  Value value_;
  bool strange_ = false;  // something else wrote since the last step
  std::vector<Step> steps_, longest_;
  std::vector<Choice> choices_;
  std::unordered_set<std::uint64_t> seen_;
  std::size_t budget_ = 0;
};

// The atomics that a reader follows at one location: those that wrote since the last one that
// replaced the value without fetching.
class Chain {
 public:
  explicit Chain(std::uint64_t location) : location_(location) {}

  // `left`: plain atomics that could have come before this step instead of those that did.
  // `pending`: those of earlier phases that may take effect only now.
  void add(const Step& step, const std::vector<const AtomicOp*>& left,
           const std::vector<const AtomicOp*>& pending) {
    const AtomicOp& op = *step.op;
    if (const auto checking = checking_.find(op.rank);
        checking != checking_.end() &&
        !(only_checks(op) && checking->second.front()->result == op.result))
      checking_.erase(checking);
    if (step.strange) {
      restart();
      for (const AtomicOp* writer : pending)
        if (writer->op == ReduceOp::Replace && written(*writer, 0) == step.before) release(*writer);
    }
    if (!op.fetches) {
      if (op.op == ReduceOp::Replace) restart();
      if (op.op == ReduceOp::Replace)
        release(op);
      else
        plain_.push_back(&op);
    } else {
      // A plain atomic is proven to be included if no other rank's plain atomic with the same op
      // could replace it.
      std::erase_if(plain_, [&](const AtomicOp* plain) {
        for (const AtomicOp* other : left)
          if (other->rank != plain->rank && other->op == plain->op) return false;
        release(*plain);
        return true;
      });
      acquire(op);
      if (changes(op))
        release(op);
      else if (op.clock_id != 0)
        checking_[op.rank].push_back(&op);
    }
    // An earlier reader of the same value may have read this write, unless the reader was done
    // before this op began.
    if (!changes(op)) return;
    for (auto& [rank, checks] : checking_) {
      std::erase_if(checks, [&](const AtomicOp* check) { return surely_sooner(*check, op); });
      for (const AtomicOp* check : checks)
        if (step.after == check->result) acquire(*check);
    }
    std::erase_if(checking_, [](const auto& entry) { return entry.second.empty(); });
  }

  // Each reader follows all writers that had begun by then; all writers if clocks are not
  // comparable.
  void add_by_time(const std::vector<const AtomicOp*>& ops) {
    restart();
    checking_.clear();
    std::vector<const AtomicOp*> writers;
    for (const AtomicOp* op : ops)
      if (!is_store(*op) && changes(*op)) writers.push_back(op);
    const bool flags = std::all_of(writers.begin(), writers.end(), [](const auto* op) {
      return !op->fetches && op->op == ReduceOp::Replace;
    });
    using Alike = std::pair<std::uint64_t, Value>;
    std::map<Alike, std::vector<const AtomicOp*>> checks;
    for (const AtomicOp* op : ops)
      if (informs(*op) && op->known != kNever)
        checks[{op->clock_id, flags ? Value(op->result) : Value()}].push_back(op);
    for (const auto& [alike, group] : checks) {
      const auto& [clock, value] = alike;
      const auto start = [clock = clock](const AtomicOp* op) {
        return clock != 0 && op->clock_id == clock ? op->start : 0;
      };
      std::vector<const AtomicOp*> followed;
      for (const AtomicOp* op : writers)
        if (!value || written(*op, 0) == value) followed.push_back(op);
      std::stable_sort(followed.begin(), followed.end(),
                       [&](const auto* a, const auto* b) { return start(a) < start(b); });
      for (const AtomicOp* op : followed) release(*op);
      for (const AtomicOp* check : group) {
        const auto behind =
            std::upper_bound(followed.begin(), followed.end(), check->done,
                             [&](std::uint64_t done, const auto* op) { return done < start(op); });
        acquire(*check, static_cast<std::uint64_t>(behind - followed.begin()));
      }
      restart();
    }
  }

  bool has_plain() const { return !plain_.empty(); }
  std::vector<RankEdge> take() { return std::move(edges_); }

 private:
  std::uint64_t key() const { return edge_key(Channel::Atomic, location_, number_); }
  void restart() {
    ++number_;
    position_ = 0;
    plain_.clear();
  }
  void release(const AtomicOp& op) {
    edges_.push_back({op.rank, op.after, {op.begin, key(), false, position_++, true, op.knows}});
  }
  void acquire(const AtomicOp& op) { acquire(op, position_); }
  void acquire(const AtomicOp& op, std::uint64_t position) {
    if (op.has_result && op.known != kNever && position > 0)
      edges_.push_back({op.rank, op.known_after, {op.known, key(), true, position, true}});
  }

  const std::uint64_t location_;
  std::uint64_t number_ = 0, position_ = 0;
  std::vector<const AtomicOp*> plain_;  // not yet proven by a result
  // Consecutive reads of a rank, all with the same result.
  std::map<WorldRank, std::vector<const AtomicOp*>> checking_;
  std::vector<RankEdge> edges_;
};

// Writers that a sync point need not complete, so that a reader in a later phase may be the first
// to see their values: the last few of each rank.
class LastingWriters {
 public:
  void add(const AtomicOp& op) {
    if (op.delivery.stage == 0 || is_store(op) || op.fetches) return;
    std::vector<const AtomicOp*>& last = by_rank_[op.rank];
    last.push_back(&op);
    if (last.size() > kLast) last.erase(last.begin());
  }
  std::vector<const AtomicOp*> all() const {
    std::vector<const AtomicOp*> writers;
    for (const auto& [rank, last] : by_rank_)
      writers.insert(writers.end(), last.begin(), last.end());
    return writers;
  }

 private:
  static constexpr std::size_t kLast = 8;
  std::map<WorldRank, std::vector<const AtomicOp*>> by_rank_;
};

// Adds a phase for which the search found an order.
void add_steps(Chain& chain, const std::vector<Queue>& queues, const std::vector<Step>& steps,
               const std::vector<const AtomicOp*>& pending) {
  std::vector<std::size_t> next(queues.size(), 0);
  for (const Step& step : steps) {
    ++next[step.queue];
    std::vector<const AtomicOp*> left;
    for (std::uint32_t queue = 0; step.op->fetches && chain.has_plain() && queue < queues.size();
         ++queue) {
      if (queue == step.queue || next[queue] == queues[queue].size()) continue;
      const AtomicOp* op = queues[queue][next[queue]];
      if (!op->fetches && !surely_sooner(*step.op, *op)) left.push_back(op);
    }
    chain.add(step, left, pending);
  }
}

}  // namespace

std::vector<RankEdge> order_atomics(std::vector<AtomicOp> ops, std::uint64_t location,
                                    AtomicValue& value) {
  if (ops.size() == 1) {  // most locations of a hash table: no other atomic to follow
    value = informs(ops[0]) ? written(ops[0], ops[0].result) : std::nullopt;
    return {};
  }
  const bool anybody_checks = std::any_of(ops.begin(), ops.end(), informs);
  const bool one_element = std::all_of(ops.begin(), ops.end(), [&](const AtomicOp& op) {
    return op.element == ops.front().element;
  });
  if (!anybody_checks || !one_element) {
    value.reset();
    return {};
  }
  std::stable_sort(ops.begin(), ops.end(),
                   [](const AtomicOp& a, const AtomicOp& b) { return a.after < b.after; });
  Chain chain(location);
  LastingWriters lasting;
  for (std::size_t first = 0; first < ops.size();) {
    std::vector<const AtomicOp*> phase;
    for (const SyncPoint after = ops[first].after; first < ops.size() && ops[first].after == after;
         ++first)
      phase.push_back(&ops[first]);
    const std::vector<const AtomicOp*> pending = lasting.all();
    for (const AtomicOp* op : phase) lasting.add(*op);
    if (std::any_of(phase.begin(), phase.end(), [](const auto* op) { return is_store(*op); })) {
      value.reset();
      phase.insert(phase.begin(), pending.begin(), pending.end());
      chain.add_by_time(phase);
      continue;
    }
    const std::vector<Queue> queues = queues_of(phase);
    if (const auto steps = Search(queues).run(value))
      add_steps(chain, queues, *steps, pending);
    else
      chain.add_by_time(phase);
  }
  return chain.take();
}

Sightings::Sightings(std::span<const RankEdge> edges) {
  for (const auto& [rank, phase, edge] : edges) {
    if (edge.acquires)
      checks_[edge.key][rank].push_back(
          {edge.position,
           {rank, edge.timestamp, phase == kNoSyncPoint ? kNoSyncPoint : phase + 1}});
    else
      written_.emplace(std::pair(rank, edge.timestamp), std::pair(edge.key, edge.position));
  }
  for (auto& [key, ranks] : checks_)
    for (auto& [rank, checks] : ranks) {
      std::stable_sort(checks.begin(), checks.end(),
                       [](const Check& a, const Check& b) { return a.position < b.position; });
      for (std::size_t i = checks.size() - 1; i-- > 0;)
        if (task_of(checks[i + 1].when.timestamp) == task_of(checks[i].when.timestamp) &&
            checks[i + 1].when.timestamp < checks[i].when.timestamp)
          checks[i].when = checks[i + 1].when;
    }
}

void Sightings::add(WorldRank rank, Timestamp begin, By by, std::vector<Instant>& instants) const {
  for (auto [released, last] = written_.equal_range({rank, begin}); released != last; ++released) {
    const auto [key, position] = released->second;
    const auto ranks = checks_.find(key);
    if (ranks == checks_.end()) continue;
    for (const auto& [who, checks] : ranks->second) {
      const auto first = std::upper_bound(
          checks.begin(), checks.end(), position,
          [](std::uint64_t at, const Check& check) { return at < check.position; });
      if ((who != rank || by == By::All) && first != checks.end()) instants.push_back(first->when);
    }
  }
}

}  // namespace photofinish
