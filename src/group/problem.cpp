#include "group/problem.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace photofinish::group {
namespace {

bool finds(const Event& event) { return event.reads || event.write == Event::Write::Add; }

class Maker {
 public:
  Maker(const Execution& execution, const Order& order, const Prefix& prefix)
      : execution_(execution), order_(order), prefix_(prefix) {}

  Problem make() {
    each([&](EventId, const Event& event) {
      if (event.cell != kNoCell && finds(event)) read_cells_.insert(event.cell);
    });
    choose_events();
    add_order();
    add_reads();
    return std::move(problem_);
  }

 private:
  template <class Visit>
  void each(Visit visit) {
    for (std::uint32_t rank = 0; rank < prefix_.size(); ++rank)
      for (std::uint32_t index = 0; prefix_[rank] != kExternal && index < prefix_[rank]; ++index)
        visit(EventId{rank, index}, execution_.ranks[rank][index]);
  }

  // Accesses to cells that are read, and the synchronization that orders them.
  void choose_events() {
    std::set<EventId> wanted;
    each([&](EventId id, const Event& event) {
      if (event.cell != kNoCell && read_cells_.contains(event.cell)) {
        wanted.insert(id);
        if (event.until != kNone && contains(prefix_, {id.rank, event.until}))
          wanted.insert({id.rank, event.until});
      }
      if (!order_.is_acquire(id)) return;
      for (std::uint32_t rank = 0; rank < prefix_.size(); ++rank) {
        if (rank == id.rank || prefix_[rank] == kExternal) continue;
        const std::uint32_t known = order_.known(id, rank);
        if (known == 0 || (id.index > 0 && order_.known({id.rank, id.index - 1}, rank) == known))
          continue;
        wanted.insert(id);
        wanted.insert({rank, known - 1});
        edges_.push_back({{rank, known - 1}, id});
      }
    });
    for (const EventId& id : wanted) {
      number_[id] = static_cast<std::uint32_t>(problem_.ids.size());
      problem_.ids.push_back(id);
      problem_.events.push_back(execution_.ranks[id.rank][id.index]);
    }
  }

  void precede(EventId a, EventId b) {
    const auto first = number_.find(a), second = number_.find(b);
    if (first != number_.end() && second != number_.end())
      problem_.order.push_back({first->second, second->second});
  }

  void add_order() {
    std::uint32_t rank = kNone, last = kNone;  // the last event that is not pending
    for (std::uint32_t i = 0; i < problem_.ids.size(); ++i) {
      const EventId id = problem_.ids[i];
      const Event& event = problem_.events[i];
      if (id.rank != rank) last = kNone;
      rank = id.rank;
      if (last != kNone) problem_.order.push_back({last, i});
      if (!event.pending) {
        last = i;
        continue;
      }
      if (event.until != kNone) precede(id, {id.rank, event.until});
      if (event.after != kNone) precede({id.rank, event.after}, id);
    }
    for (const auto& [from, to] : edges_) precede(from, to);
    std::map<Cell, std::uint32_t> initial;
    for (std::uint32_t i = 0; i < problem_.events.size(); ++i)
      if (problem_.events[i].initial) initial[problem_.events[i].cell] = i;
    for (std::uint32_t i = 0; i < problem_.events.size(); ++i)
      if (const auto found = initial.find(problem_.events[i].cell);
          found != initial.end() && !problem_.events[i].initial)
        problem_.order.push_back({found->second, i});
  }

  void add_reads() {
    // By cell: the writes of each rank, in order of their index.
    std::unordered_map<Cell, std::vector<std::uint32_t>> writes;
    for (std::uint32_t i = 0; i < problem_.events.size(); ++i)
      if (problem_.events[i].writes()) writes[problem_.events[i].cell].push_back(i);
    std::size_t constraints = 0;
    for (std::uint32_t i = 0; i < problem_.events.size(); ++i) {
      if (problem_.events[i].cell == kNoCell || !finds(problem_.events[i])) continue;
      Problem::Read& read = problem_.reads.emplace_back();
      read.event = i;
      const std::vector<std::uint32_t>& all = writes[problem_.events[i].cell];
      // The last write of each rank that certainly precedes the read: it hides those before it.
      std::vector<std::uint32_t> last;
      for (const std::uint32_t write : all) {
        if (write == i || !precedes(write, i)) continue;
        if (!last.empty() && problem_.ids[last.back()].rank == problem_.ids[write].rank)
          last.back() = write;
        else
          last.push_back(write);
      }
      for (const std::uint32_t write : all) {
        if (write == i || !fits(problem_.events[write], problem_.events[i]) || precedes(i, write) ||
            std::any_of(last.begin(), last.end(),
                        [&](std::uint32_t other) { return precedes(write, other); }))
          continue;
        Problem::Source& source = read.sources.emplace_back();
        source.write = write;
        for (const std::uint32_t other : all)
          if (other != write && other != i && !precedes(other, write) && !precedes(i, other))
            source.others.push_back(other);
        constraints += source.others.size() + 1;
        if (constraints > kMaxConstraints) {
          problem_.too_large = true;
          return;
        }
      }
    }
  }

  bool precedes(std::uint32_t a, std::uint32_t b) const {
    return order_.precedes(problem_.ids[a], problem_.ids[b]);
  }

  const Execution& execution_;
  const Order& order_;
  const Prefix& prefix_;
  Problem problem_;
  std::set<Cell> read_cells_;
  std::map<EventId, std::uint32_t> number_;
  std::vector<std::pair<EventId, EventId>> edges_;
};

}  // namespace

bool fits(const Event& write, const Event& read) {
  if (write.cell != read.cell) return false;
  switch (write.write) {
    case Event::Write::None:
      return false;
    case Event::Write::Set:
      return !read.reads || *read.reads == write.operand;
    case Event::Write::Add:
    case Event::Write::Any:
      return true;
  }
  return false;
}

Problem make_problem(const Execution& execution, const Order& order, const Prefix& prefix) {
  return Maker(execution, order, prefix).make();
}

}  // namespace photofinish::group
