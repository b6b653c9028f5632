// Random executions whose ranks have threads: the events of simulated ones, dealt out to tasks.
//
// What a rank does stays in its sequence, so it is still an execution that MPI allows: operations
// that one task begins are completed by another, flushes and unlocks included. Tasks start with an
// acquire from the one that made them; in between they hand over to each other, with a release and
// an acquire or without, and now and then release or acquire one of a few keys. Atomics lose what
// they found: their order is not task-aware.
#pragma once

#include <cstdint>

#include "execution.h"

namespace photofinish::testing {

Execution with_tasks(const Execution& execution, std::uint32_t seed);

}  // namespace photofinish::testing
