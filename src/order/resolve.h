// Clocks of one slice: who knows what of whom, at the moments somebody asks about.
//
// Rule: a rank's clock holds, for each rank, the latest moment that happened before. It grows when
// the rank hears a key, by the clocks of all who said it. The ranks are walked side by side, each
// as far as what it hears has been said; since the program did run, that ends. Guessed signals may
// form a circle (two atomics explained in an order that did not happen): then the walk goes on with
// what has been said so far. Invariant: a key that nobody says in this slice was said before the
// cut, and is known to all by the cut alone. Twin: the reachability matrix of
// tests/unit/detect/oracle.h.
#pragma once

#include <vector>

#include "order/signal.h"

namespace photofinish {

// The answer to each question: the latest known moment of `about`, or kNever if none in this slice
// is known.
std::vector<Moment> resolve(std::vector<SliceSignals> ranks,
                            const std::vector<Question>& questions);

}  // namespace photofinish
