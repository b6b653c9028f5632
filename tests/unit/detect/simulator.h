// Runs a random program as an MPI library could have run it, one step of one rank at a time.
//
// Since nobody records what time it is, a call that waits can be taken when it need not wait any
// more: nothing is lost, and nothing ever hangs. Only where ranks wait for each other they take the
// step together. What a rank cannot do where it stands it does not do.
//
// Messages match by MPI's rules, with some of them still on their way when they could be received.
// Atomics act on real bytes, at some time between their call and their completion, one origin's in
// order.
#pragma once

#include <set>
#include <utility>

#include "execution.h"
#include "program.h"

namespace photofinish::testing {

struct Simulated {
  Execution execution;
  std::set<std::pair<Ref, Ref>> matched;  // each send with where the receive that got it was posted
};

Simulated simulate(const Program& program);

}  // namespace photofinish::testing
