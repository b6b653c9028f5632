// The whole analysis of recorded ranks in one process: what the ranks of a running program do with messages, with function calls.
#pragma once

#include <functional>
#include <vector>

#include "detect/rules.h"
#include "model/definitions.h"
#include "model/event.h"
#include "model/finding.h"

namespace photofinish {

struct RankInput {
  WorldRank rank;
  const Definitions* definitions = nullptr;
  std::function<const Event*()> next;  // null at the end
};

// One input for each rank of the world, in their order. Findings are merged by the two places, and sorted.
// A period is closed at the next cut once some rank has so many accesses: what is checked at once must fit in memory.
std::vector<Finding> analyze(std::vector<RankInput> ranks, const RuleOptions& options, std::size_t period = std::size_t{1} << 18);

}  // namespace photofinish
