// What a sampled run did not check, and its cost.
#pragma once

#include <string>
#include <vector>

#include "model/definitions.h"

namespace photofinish {

struct RankSampling {
  WorldRank rank;
  SamplingDefinition sampling;
};
// The ranks that sampled; empty: every access was checked.
std::vector<RankSampling> read_sampling(const std::string& directory);
// One line for each statement; empty without ranks.
std::string sampling_lines(const std::vector<RankSampling>& ranks);

}  // namespace photofinish
