#include "detect/deliveries.h"

#include <algorithm>

namespace photofinish {
namespace {

// Keeps the first instant of each task.
void add_first(std::vector<Instant>& instants, const Instant& instant) {
  const auto same = std::find_if(instants.begin(), instants.end(), [&](const Instant& other) {
    return other.rank == instant.rank && task_of(other.timestamp) == task_of(instant.timestamp);
  });
  if (same == instants.end())
    instants.push_back(instant);
  else if (instant.timestamp < same->timestamp)
    *same = instant;
}

}  // namespace

// Computes `lanes_` and `first_seen_` for the operations of a rank.
void Deliveries::follow(WorldRank rank, const Observed& observed) {
  struct One {
    std::uint32_t lane = 0;
    Seen seen;
  };
  std::vector<One> all;
  for (auto at = operations_.lower_bound({rank, 0});
       at != operations_.end() && at->first.first == rank; ++at)
    for (const Operation& operation : at->second) {
      std::vector<Instant> instants;
      observed(operation.address, rank, at->first.second, instants);
      if (instants.empty()) continue;
      for (const Instant& instant : instants)
        all.push_back({operation.delivery.lane, {operation.delivery.stage, instant}});
      std::vector<Instant>& seen = first_seen_[at->first];
      seen.insert(seen.end(), instants.begin(), instants.end());
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const One& a, const One& b) { return a.seen.stage > b.seen.stage; });
  lanes_[{rank, 0}];  // marks the rank as followed
  for (const One& one : all) {
    const Instant& instant = one.seen.first;
    std::vector<Seen>& stages =
        lanes_[{rank, one.lane}][{instant.rank, task_of(instant.timestamp)}];
    if (stages.empty() || instant.timestamp < stages.back().first.timestamp)
      stages.push_back(one.seen);
  }
}

void Deliveries::add_instants(const Access& access, const Observed& observed,
                              std::vector<Instant>& instants) {
  if (access.delivery.stage == 0 || operations_.empty()) return;
  if (!lanes_.contains({access.rank, 0})) follow(access.rank, observed);
  if (const auto own = first_seen_.find({access.rank, access.begin}); own != first_seen_.end())
    for (const Instant& instant : own->second) add_first(instants, instant);
  const auto lane = lanes_.find({access.rank, access.delivery.lane});
  if (lane == lanes_.end()) return;
  for (const auto& [task, stages] : lane->second) {
    // The last entry with a higher stage.
    const auto end = std::partition_point(stages.begin(), stages.end(), [&](const Seen& seen) {
      return seen.stage > access.delivery.stage;
    });
    if (end != stages.begin()) add_first(instants, std::prev(end)->first);
  }
}

}  // namespace photofinish
