#include "trace/common_time.h"

#include <algorithm>

#include "trace/reader.h"

namespace photofinish {

CommonTime common_time(const std::string& directory, const std::vector<WorldRank>& ranks) {
  CommonTime time;
  std::map<std::uint64_t, HostClock> counters;  // by id: the clock of the first rank that reads it
  std::uint64_t begin = 0;
  double least = 0;
  for (const WorldRank rank : ranks) {
    const auto trace = RankTrace::open(directory, rank);
    if (!trace) continue;
    const HostClock& own = (*trace)->definitions().rank.clock;
    const HostClock& clock = own.id != 0 ? counters.try_emplace(own.id, own).first->second : own;
    if (time.ranks.empty()) begin = own.ns;
    const double since_counter =
        static_cast<double>(static_cast<std::int64_t>(own.tick - clock.tick)) * clock.ns_per_tick;
    const RankTime mine{
        .offset = static_cast<double>(static_cast<std::int64_t>(clock.ns - begin)) + since_counter,
        .rate = clock.ns_per_tick / own.ns_per_tick};
    least = std::min(least, mine.offset);
    time.ranks[rank] = mine;
  }
  for (auto& [rank, mine] : time.ranks) mine.offset -= least;
  time.since_1970 = static_cast<std::uint64_t>(static_cast<std::int64_t>(begin) +
                                               static_cast<std::int64_t>(least));
  return time;
}

}  // namespace photofinish
