// Resolver: computes the vector clocks of one phase, and answers happens-before queries.
//
// Rule: a rank's clock holds, for each rank, the latest timestamp that happened before. An acquire
// joins the clocks of all releases of its key. The ranks advance side by side, each until an
// acquire whose releases are not done. This terminates, since the program did run. Guessed edges
// may form a cycle (two atomics explained in an order that did not happen). Then an acquire joins
// the releases done so far.
//
// Invariant: a key without a release in this phase was released before the sync point, and is known
// to all ranks through the sync point. Twin: the reachability matrix of tests/unit/detect/oracle.h.
#pragma once

#include <vector>

#include "order/edge.h"

namespace photofinish {

// The answer to each query: the latest known timestamp of `about`; kNever if none in this phase is
// known.
std::vector<Timestamp> resolve(std::vector<PhaseEdges> ranks, const std::vector<Query>& queries);

}  // namespace photofinish
