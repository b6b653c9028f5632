// One rank's clock: ticks of the machine that it runs on, and what time they were.
#pragma once

#include <cstdint>

namespace photofinish {

struct HostClock {
  // Ticks of ranks with the same id are of one counter, and can be compared. 0: with nobody's.
  std::uint64_t id = 0;
  double ns_per_tick = 1;
  std::uint64_t tick = 0, ns = 0;  // at this tick it was so long after 1970

  std::uint64_t since_1970(std::uint64_t at) const {
    return ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                    static_cast<double>(static_cast<std::int64_t>(at - tick)) * ns_per_tick));
  }
};

}  // namespace photofinish
