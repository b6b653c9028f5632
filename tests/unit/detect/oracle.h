// A second implementation of docs/internals/one-sided-races.md, simple and slow, to compare the
// analysis with.
//
// Every access is a list of bytes, and all pairs of accesses are compared. Every timestamp of every
// rank is a node of a graph, and happens-before is its transitive closure. It has no sync points
// and no sweep, and it discards nothing. It was written from that page alone.
//
// Limits: no partitioned messages, split collective file access, persistent collectives, pair types
// (MPI_2INT …), memory shared by MPI_Win_allocate_shared, dynamic windows in the separate memory
// model.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "execution.h"
#include "model/finding.h"

namespace photofinish::testing {

struct RacingSide {
  int rank = 0;
  SiteId site;
  AccessKind kind{};
  auto operator<=>(const RacingSide&) const = default;
};

struct RacingPair {
  int owner = 0;
  RacingSide one, other;  // the smaller first
  Reason reason{};
  auto operator<=>(const RacingPair&) const = default;
};

struct Verdict {
  // Why the page does not determine the verdict: the order of atomics can be reconstructed in
  // several ways, with different findings.
  std::string open;
  std::set<RacingPair> races;
};

Verdict judge(const Execution& execution);

// The matched pairs of sends and receives (where they were posted), by the rule of the page.
std::set<std::pair<Ref, Ref>> matched_messages(const Execution& execution);

std::string text(const RacingPair& pair);
std::string text(const std::set<RacingPair>& pairs);

}  // namespace photofinish::testing
