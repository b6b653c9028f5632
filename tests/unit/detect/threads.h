// Runs the analysis by several processes as threads of this process.
#pragma once

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "detect/analysis.h"
#include "execution.h"
#include "oracle.h"

namespace photofinish::testing {

// The inputs of the ranks [first, last). `next` has an element for each rank, and outlives them.
std::vector<RankInput> inputs_of(const Execution& execution, std::vector<std::size_t>& next,
                                 std::int32_t first, std::int32_t last);

// The result of each process.
std::vector<Result<std::vector<Finding>>> analyze_each_with_threads(const Execution& execution,
                                                                    int processes,
                                                                    std::size_t memory,
                                                                    std::size_t period,
                                                                    const std::string& directory);
// The findings of process 0; the others have none.
std::vector<Finding> analyze_with_threads(const Execution& execution, int processes,
                                          std::size_t memory, std::size_t period);

// Each event has its own site, so a finding is one pair of events, even after merging.
std::set<RacingPair> pairs_of(const std::vector<Finding>& findings);
// The differences of both sets, as text.
std::string difference(const std::set<RacingPair>& right, const std::set<RacingPair>& found);

}  // namespace photofinish::testing
