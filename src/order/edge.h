// Synchronization edges between ranks: one rank releases a key at a timestamp, another acquires it
// at a later timestamp of its own.
//
// A message is a key with one release and one acquire. A barrier is one key that all ranks release
// and acquire. Both ends compute the key themselves (order/keys.h), so matching needs no
// communication.
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
  // For scans: an acquire follows the releases at lower positions only. All other releases are at
  // 0, and acquires at kEveryPosition.
  std::uint64_t position = 0;
  // Derived from results of atomics, or from annotations. Several orders may explain these, so a
  // guessed edge must not block the resolver.
  bool guessed = false;
  Knowledge known = nullptr;  // of a release: what its task knows
  bool operator==(const Edge&) const = default;
};
inline constexpr std::uint64_t kEveryPosition = ~std::uint64_t{0};

// The releases and acquires of one rank in one phase.
struct PhaseEdges {
  SyncPoint phase = 0;  // the last sync point done
  WorldRank rank;
  std::vector<Edge> edges;
};

// A happens-before query to the resolver of a phase: the latest timestamp of `about` that `rank`
// knows at `timestamp`.
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
