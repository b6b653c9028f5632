// Clocks of one phase: who knows what of whom, at the moments somebody asks about.
//
// Rule: a rank's clock holds, for each rank, the latest timestamp that happened before. It grows
// when the rank hears a key, by the clocks of all who said it. The ranks are walked side by side,
// each as far as what it hears has been said; since the program did run, that ends. Guessed edges
// may form a circle (two atomics explained in an order that did not happen): then the walk goes on
// with what has been said so far. Invariant: a key that nobody says in this phase was said before
// the sync point, and is known to all by the sync point alone. Twin: the reachability matrix of
// tests/unit/detect/oracle.h.
#pragma once

#include <vector>

#include "order/edge.h"

namespace photofinish {

// The answer to each query: the latest known timestamp of `about`, or kNever if none in this phase
// is known.
std::vector<Timestamp> resolve(std::vector<PhaseEdges> ranks, const std::vector<Query>& queries);

}  // namespace photofinish
