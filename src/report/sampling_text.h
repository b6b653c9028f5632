// What a run with sampling did not look at, and what it cost.
#pragma once

#include <string>
#include <vector>

#include "model/definitions.h"

namespace photofinish {

struct RankSampling {
  WorldRank rank;
  SamplingDefinition sampling;
};
// Of the ranks that sampled; empty: the run was looked at as a whole.
std::vector<RankSampling> read_sampling(const std::string& directory);
// A line for each thing there is to say; nothing for nobody.
std::string sampling_lines(const std::vector<RankSampling>& ranks);

}  // namespace photofinish
