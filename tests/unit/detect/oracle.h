// docs/internals/one-sided-races.md once more, plain, slow and obvious: to compare the real
// analysis with.
//
// Every access is spelled out byte by byte, every timestamp of every rank is a node of a graph,
// order is that graph's transitive closure, and every two accesses are compared. No sync points, no
// sweep, nothing forgotten. It was written from the page alone.
//
// Not covered: partitioned messages, split collective file access, persistent collectives, pair
// types (MPI_2INT …), memory that is shared by MPI_Win_allocate_shared, dynamic windows in the
// separate memory model.
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
  // Why the page leaves open what is right: atomics whose order can be rebuilt in several ways,
  // with different findings.
  std::string open;
  std::set<RacingPair> races;
};

Verdict judge(const Execution& execution);

// The sends and the receives (where they were posted) that belong together, by the page's rule.
std::set<std::pair<Ref, Ref>> matched_messages(const Execution& execution);

std::string text(const RacingPair& pair);
std::string text(const std::set<RacingPair>& pairs);

}  // namespace photofinish::testing
