// A schedule from the times of the run, without a solver: most runs explain themselves.
#pragma once

#include <optional>
#include <vector>

#include "group/problem.h"

namespace photofinish::group {

// Takes the events in the order of their times, as far as `order` allows, and delays a read until
// its value is there. Nullopt: no schedule this way, although there may be one.
std::optional<std::vector<std::uint32_t>> schedule_by_time(const Problem& problem);

}  // namespace photofinish::group
