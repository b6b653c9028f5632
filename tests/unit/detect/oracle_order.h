// Who happens before whom, by the page's table of edges and a transitive closure over all
// timestamps of all tasks of all ranks.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle_history.h"

namespace photofinish::testing {

using Edge = std::pair<Point, Point>;
using Edges = std::set<Edge>;

// Without those of atomics.
Edges find_edges(const History& history);
std::set<std::pair<Ref, Ref>> match_messages(const History& history);

// The edges of atomics. Where they could have met in several orders there are several sets, one
// for each.
struct AtomicOrders {
  std::vector<Edges> sets;
  // Those that there might be besides, of atomics whose order cannot be rebuilt, and why that is
  // so.
  Edges doubtful;
  std::string why;
};
AtomicOrders order_atomics(const History& history);

class Reachability {
 public:
  Reachability(const Execution& execution, const Edges& edges);
  bool operator()(Point x, Point y) const {
    return (rows_[node(x)][node(y) / 64] >> (node(y) % 64) & 1) != 0;
  }
  bool has_cycle() const;

 private:
  std::size_t node(Point point) const {
    return first_[static_cast<std::size_t>(point.rank)] + point.at;
  }
  void add_tasks(const Execution& execution, std::size_t rank);
  void add(std::size_t from, std::size_t to) {
    rows_[from][to / 64] |= std::uint64_t{1} << (to % 64);
  }

  std::vector<std::size_t> first_;  // node of each rank's first timestamp
  std::vector<std::vector<std::uint64_t>> rows_;
};

}  // namespace photofinish::testing
