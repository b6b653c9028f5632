// Runs a random program as an MPI library could have run it, one step of one rank at a time.
//
// No wall-clock time is recorded. So a blocking call can be made at the point where it no longer
// blocks: no execution is lost, and nothing hangs. Only ranks that wait for each other make a step
// together. A step that is impossible in the current state is skipped.
//
// Messages match by the rules of MPI, and some are still pending when they could be received.
// Atomics act on real bytes, at some point between their call and their completion; those of one
// origin in order.
#pragma once

#include <set>
#include <utility>

#include "execution.h"
#include "program.h"

namespace photofinish::testing {

struct Simulated {
  Execution execution;
  std::set<std::pair<Ref, Ref>> matched;  // each send with the post of the receive that matched it
};

Simulated simulate(const Program& program);

}  // namespace photofinish::testing
