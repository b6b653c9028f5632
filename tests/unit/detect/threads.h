// The analysis by several processes, as threads of this one.
#pragma once

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "detect/analysis.h"
#include "execution.h"
#include "oracle.h"

namespace photofinish::testing {

// Of the ranks [first, last). `next` has a place for each rank, and outlives them.
std::vector<RankInput> inputs_of(const Execution& execution, std::vector<std::size_t>& next,
                                 std::int32_t first, std::int32_t last);

// What each of the processes gets.
std::vector<Result<std::vector<Finding>>> analyze_each_with_threads(const Execution& execution,
                                                                    int processes,
                                                                    std::size_t memory,
                                                                    std::size_t period,
                                                                    const std::string& directory);
// Process 0's findings; the others have none.
std::vector<Finding> analyze_with_threads(const Execution& execution, int processes,
                                          std::size_t memory, std::size_t period);

// Each event has a site of its own, so a finding is one pair of events, whatever was merged.
std::set<RacingPair> pairs_of(const std::vector<Finding>& findings);
// What each has and the other has not, in words.
std::string difference(const std::set<RacingPair>& right, const std::set<RacingPair>& found);

}  // namespace photofinish::testing
