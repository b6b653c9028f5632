// The order of the atomics that met at one location, rebuilt from what they wrote and read
// (docs/internals/one-sided-races.md).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "detect/timeline.h"
#include "model/atomic.h"
#include "order/edge.h"

namespace photofinish {

struct RankEdge {
  WorldRank rank;
  SyncPoint phase = 0;
  Edge edge;
};

// What a location holds; nothing: not known.
using AtomicValue = std::optional<std::uint64_t>;

// What a location holds after `op` found `value` there; nothing if we cannot compute it.
AtomicValue written(const AtomicOp& op, std::uint64_t value);

// `ops`: all atomics of a period on one location, in any order; `location` makes the keys its own;
// `value` is what it held before, and holds after.
std::vector<RankEdge> order_atomics(std::vector<AtomicOp> ops, std::uint64_t location,
                                    AtomicValue& value);

// By whom else, and when, the effect of an atomic was first found, as the edges of its location
// have it.
class Sightings {
 public:
  explicit Sightings(std::span<const RankEdge> edges);
  void add(WorldRank rank, Timestamp begin, std::vector<Instant>& instants) const;

 private:
  struct Check {
    std::uint64_t position = 0;
    Instant when;
  };
  std::multimap<std::pair<WorldRank, Timestamp>, std::pair<std::uint64_t, std::uint64_t>>
      written_;  // the keys and places of each
  std::map<std::uint64_t, std::map<WorldRank, std::vector<Check>>>
      checks_;  // by key and rank: by place, the first at that place or later
};

}  // namespace photofinish
