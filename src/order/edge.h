// How order travels from rank to rank: one says a key at some timestamp, another hears it at a
// later timestamp of its own.
//
// A message is a key said once and heard once; a barrier is one key that all say and all hear. Both
// ends work out the key by themselves (order/keys.h), so nobody has to be told what matches what.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

struct Edge {
  Timestamp timestamp = 0;
  std::uint64_t key = 0;
  bool acquires = false;
  // Scans: what is said at a place is heard at higher places only. Everything else is said at 0 and
  // heard at kEveryPosition.
  std::uint64_t position = 0;
  // Worked out from values that atomics returned, or said by the program: several orders may
  // explain them, so it must not stop the walk.
  bool guessed = false;
  Knowledge known = nullptr;  // of who says it
  bool operator==(const Edge&) const = default;
};
inline constexpr std::uint64_t kEveryPosition = ~std::uint64_t{0};

// What one rank said and heard between two sync points.
struct PhaseEdges {
  SyncPoint phase = 0;  // the last sync point that was complete
  WorldRank rank;
  std::vector<Edge> edges;
};

// Up to which timestamp of `about` does `rank` know, at `timestamp`? Asked of the resolver of a
// phase.
struct Query {
  WorldRank rank;
  Timestamp timestamp = 0;
  WorldRank about;
  std::uint32_t task = 0;     // of `about`
  Knowledge known = nullptr;  // of `rank`, at that timestamp
  auto key() const { return std::tuple(rank, timestamp, about, task); }
  bool operator<(const Query& other) const { return key() < other.key(); }
};

}  // namespace photofinish
