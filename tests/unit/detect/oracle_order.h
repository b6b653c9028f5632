// Happens-before, from the documented table of edges and a transitive closure over all timestamps
// of all ranks.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle_history.h"

namespace photofinish::testing {

using Edge = std::pair<Point, Point>;
using Edges = std::set<Edge>;

// Without the edges of atomics.
Edges find_edges(const History& history);
std::set<std::pair<Ref, Ref>> match_messages(const History& history);

// The edges of atomics. If the atomics could have taken effect in several orders, there is a set
// for each.
struct AtomicOrders {
  std::vector<Edges> sets;
  // Further edges that are possible, of atomics whose order cannot be reconstructed, and why.
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
