// The clock of a rank: a tick counter of its host, and the corresponding time.
#pragma once

#include <cstdint>

namespace photofinish {

struct HostClock {
  // Ranks with the same id read the same counter, so their ticks can be compared. 0: comparable
  // with no other rank.
  std::uint64_t id = 0;
  double ns_per_tick = 1;
  std::uint64_t tick = 0, ns = 0;  // the tick at `ns` nanoseconds after 1970

  std::uint64_t since_1970(std::uint64_t at) const {
    return ns + static_cast<std::uint64_t>(static_cast<std::int64_t>(
                    static_cast<double>(static_cast<std::int64_t>(at - tick)) * ns_per_tick));
  }
};

}  // namespace photofinish
