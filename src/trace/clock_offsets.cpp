#include "trace/clock_offsets.h"

#include <algorithm>
#include <optional>

#include "trace/reader.h"

namespace photofinish {

ClockOffsets clock_offsets(const std::string& directory, const std::vector<WorldRank>& ranks) {
  ClockOffsets offsets;
  std::optional<HostClock> first;
  for (const WorldRank rank : ranks) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) continue;
    const HostClock& clock = (*trace)->definitions().rank.clock;
    if (!first) first = clock;
    const bool same = clock.id != 0 && clock.id == first->id;  // one counter: exact
    offsets.ns[rank] =
        same ? static_cast<double>(static_cast<std::int64_t>(clock.tick - first->tick)) *
                   clock.ns_per_tick
             : static_cast<double>(static_cast<std::int64_t>(clock.ns - first->ns));
  }
  double least = 0;
  for (const auto& [rank, offset] : offsets.ns) least = std::min(least, offset);
  for (auto& [rank, offset] : offsets.ns) offset -= least;
  if (first)
    offsets.since_1970 = static_cast<std::uint64_t>(static_cast<std::int64_t>(first->ns) +
                                                    static_cast<std::int64_t>(least));
  return offsets;
}

}  // namespace photofinish
