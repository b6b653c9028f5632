// The slow twin of the search: tries all interleavings of the events of a prefix, on a real memory.
#pragma once

#include <vector>

#include "group/execution.h"

namespace photofinish::group {

// Whether some interleaving explains every value. External ranks only synchronize.
bool explains(const Execution& execution, const Prefix& prefix);

// Whether the ranks, in this order, find the values that they read. `schedule` has all accesses to
// cells that are read.
bool holds(const Execution& execution, const Prefix& prefix, const std::vector<EventId>& schedule);

}  // namespace photofinish::group
