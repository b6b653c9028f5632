// The slow twin of the search: tries all interleavings of the events of a cut, on a real memory.
#pragma once

#include <vector>

#include "group/execution.h"

namespace photofinish::group {

// Whether some interleaving explains every value. External ranks only synchronize.
bool explains(const Execution& execution, const Cut& cut);

// Whether the ranks, in this order, find the values that they read. `schedule` has all accesses to
// cells that are read.
bool holds(const Execution& execution, const Cut& cut, const std::vector<EventId>& schedule);

}  // namespace photofinish::group
