// The times of a run's ranks, put together: each counts from its own first event.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/ids.h"

namespace photofinish {

struct ClockOffsets {
  std::map<WorldRank, double> ns;  // when each rank's time 0 was, from that of the first of them;
                                   // ranks whose trace cannot be read are left out
  std::uint64_t since_1970 = 0;    // that first time, in nanoseconds
};
ClockOffsets clock_offsets(const std::string& directory, const std::vector<WorldRank>& ranks);

}  // namespace photofinish
