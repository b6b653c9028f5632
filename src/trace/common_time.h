// One time for all ranks of a run. Each rank's events count from its own first one, at a rate that
// it measured itself; ranks that read one counter are put on the rate of the first of them, or they
// would drift apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ids.h"

namespace photofinish {

// From a rank's nanoseconds to those of all.
struct RankTime {
  double offset = 0;  // when the rank's time 0 was, from that of the first of them
  double rate = 1;
  std::uint64_t of(std::uint64_t ns) const {
    const double common = offset + rate * static_cast<double>(ns);
    return common > 0 ? static_cast<std::uint64_t>(common + 0.5) : 0;
  }
};

struct CommonTime {
  std::map<WorldRank, RankTime> ranks;  // those whose trace cannot be read are left out
  std::uint64_t since_1970 = 0;         // of time 0, in nanoseconds
};
CommonTime common_time(const std::string& directory, const std::vector<WorldRank>& ranks);

}  // namespace photofinish
