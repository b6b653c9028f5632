// A common time for all ranks of a run. Each rank's events count from its own first one, at a rate
// that it measured. Ranks that read one counter use the rate of the first of them; otherwise they
// would drift apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ids.h"

namespace photofinish {

// Converts a rank's nanoseconds to common ones.
struct RankTime {
  double offset = 0;  // the rank's time 0, relative to the earliest one
  double rate = 1;
  std::uint64_t of(std::uint64_t ns) const {
    const double common = offset + rate * static_cast<double>(ns);
    return common > 0 ? static_cast<std::uint64_t>(common + 0.5) : 0;
  }
};

struct CommonTime {
  std::map<WorldRank, RankTime> ranks;  // without ranks whose trace cannot be read
  std::uint64_t since_1970 = 0;         // of time 0, in nanoseconds
};
CommonTime common_time(const std::string& directory, const std::vector<WorldRank>& ranks);

}  // namespace photofinish
