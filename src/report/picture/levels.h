// Computes the level of each timestamp from order constraints (layout.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/access.h"

namespace photofinish {

class Levels {
 public:
  using Node = std::size_t;

  // Adds a node to the phase that begins at `sync_point`.
  Node add(SyncPoint sync_point) {
    sync_points_.push_back(sync_point);
    floors_.push_back(0);
    return sync_points_.size() - 1;
  }
  void before(Node a, Node b) { edges_.emplace_back(a, b); }
  // Adds the constraint, unless it closes a cycle: then nothing changes.
  void before_if_possible(Node a, Node b) {
    edges_.emplace_back(a, b);
    if (!solve()) {
      edges_.pop_back();
      solve();
    }
  }
  // Gives both the same level, if they are concurrent.
  void align(Node a, Node b) {
    solve();
    if (level(a) == level(b)) return;
    const Node low = level(a) < level(b) ? a : b, high = low == a ? b : a;
    const int wanted = level(high), old = std::exchange(floors_[low], level(high));
    if (!solve() || level(high) != wanted) {
      floors_[low] = old;
      solve();
    }
  }
  // False if the constraints have a cycle.
  bool solve() {
    levels_ = floors_;
    for (std::size_t round = 0; round <= sync_points_.size() + 1; ++round) {
      bool changed = false;
      const auto raise = [&](Node node, int to) {
        if (levels_[node] >= to) return;
        levels_[node] = to;
        changed = true;
      };
      for (const auto& [a, b] : edges_) raise(b, levels_[a] + 1);
      raise_phases(raise);
      if (!changed) return true;
    }
    return false;
  }
  int level(Node node) const { return levels_[node]; }

 private:
  // All nodes of an earlier phase precede all nodes of a later one.
  template <class Raise>
  void raise_phases(Raise raise) {
    std::vector<Node> nodes(sync_points_.size());
    for (Node i = 0; i < nodes.size(); ++i) nodes[i] = i;
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](Node a, Node b) { return sync_points_[a] < sync_points_[b]; });
    int earlier = -1, here = -1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i > 0 && sync_points_[nodes[i]] != sync_points_[nodes[i - 1]])
        earlier = std::max(earlier, here);
      raise(nodes[i], earlier + 1);
      here = std::max(here, levels_[nodes[i]]);
    }
  }

  std::vector<SyncPoint> sync_points_;
  std::vector<int> floors_, levels_;
  std::vector<std::pair<Node, Node>> edges_;
};

}  // namespace photofinish
