// Reconstructs the order of the atomics at one location from what they wrote and read
// (docs/internals/one-sided-races.md).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "effects/timeline.h"
#include "model/atomic.h"
#include "order/edge.h"

namespace photofinish {

struct RankEdge {
  WorldRank rank;
  SyncPoint phase = 0;
  Edge edge;
};

// The value of a location; nullopt: unknown.
using AtomicValue = std::optional<std::uint64_t>;

// The value after `op` found `value`; nullopt if it cannot be computed.
AtomicValue written(const AtomicOp& op, std::uint64_t value);

// `ops`: all atomics of a period at one location, in any order. `location` makes the edge keys
// unique. `value`: the value before these atomics; set to the value after them.
std::vector<RankEdge> order_atomics(std::vector<AtomicOp> ops, std::uint64_t location,
                                    AtomicValue& value);

// When each other rank first read a value that includes the effect of a given atomic, according to
// the edges of its location.
class Sightings {
 public:
  explicit Sightings(std::span<const RankEdge> edges);
  // Whose sightings count: those of other ranks, or of all.
  enum class By { Others, All };
  void add(WorldRank rank, Timestamp begin, By by, std::vector<Instant>& instants) const;

 private:
  struct Check {
    std::uint64_t position = 0;
    Instant when;
  };
  // Key and position of each.
  std::multimap<std::pair<WorldRank, Timestamp>, std::pair<std::uint64_t, std::uint64_t>> written_;
  // By key and rank, sorted by position: the earliest read at that position or later.
  std::map<std::uint64_t, std::map<WorldRank, std::vector<Check>>> checks_;
};

}  // namespace photofinish
