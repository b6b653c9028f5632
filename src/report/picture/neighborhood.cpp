#include "report/picture/neighborhood.h"

#include <algorithm>

#include "report/event_text.h"
#include "report/picture/near_reader.h"
#include "report/site_text.h"
#include "trace/reader.h"

namespace photofinish {
namespace {

constexpr std::size_t kMostLanes = 6;  // a receive may have many candidate messages

NearLane& lane_of(NearFinding& near, WorldRank rank, Uid win) {
  const auto at =
      std::lower_bound(near.lanes.begin(), near.lanes.end(), rank,
                       [](const NearLane& lane, WorldRank its) { return lane.rank < its; });
  if (at != near.lanes.end() && at->rank == rank) return *at;
  return *near.lanes.insert(at, NearLane{.rank = rank, .win = win});
}

NearFinding lanes_of(const FindingDocument& finding) {
  NearFinding near;
  const Uid win = finding.memory ? finding.memory->win : Uid();
  for (const EndDocument& end : finding.ends) {
    if (end.nothing || (near.lanes.size() >= kMostLanes && near.lane_of(end.rank) < 0)) continue;
    NearLane& lane = lane_of(near, end.rank, win);
    lane.anchors.push_back(end.begin / 2);
    if (end.end != kNever && end.end / 2 != end.begin / 2) lane.anchors.push_back(end.end / 2);
  }
  if (finding.memory) lane_of(near, finding.memory->owner, win);
  return near;
}

// Sets the phases of ranks that only own the memory: known once the other ranks are read.
void set_phases(NearFinding& near) {
  std::optional<SyncPoint> phase;
  for (const NearLane& lane : near.lanes)
    for (const std::uint64_t index : lane.anchors)
      if (const auto step = lane.steps.find(index);
          step != lane.steps.end() && (!phase || step->second.before < *phase))
        phase = step->second.before;
  for (NearLane& lane : near.lanes)
    if (lane.anchors.empty()) lane.phase = phase.value_or(0);
}

}  // namespace

int NearFinding::lane_of(WorldRank rank) const {
  for (std::size_t i = 0; i < lanes.size(); ++i)
    if (lanes[i].rank == rank) return static_cast<int>(i);
  return -1;
}

void Neighborhood::read_rank(WorldRank rank, const std::vector<NearLane*>& lanes, bool counts) {
  const auto trace = RankTrace::open(run_.directory, rank);
  if (!trace) return;
  const Definitions& definitions = (*trace)->definitions();
  RankCounts counted{.rank = rank, .end = end_text((*trace)->end())};
  NearReader reader(rank, (*trace)->world_size(), definitions, lanes);
  const Event* event = nullptr;
  while ((*trace)->next(event)) {
    ++counted.events;
    ++counted.calls[event->call];
    counted.nanoseconds = std::max(counted.nanoseconds, event->start + event->duration);
    if (!lanes.empty()) reader.add(*event);
  }
  reader.finish();
  if (counts) counts_.push_back(std::move(counted));
  SiteText text(definitions, symbolizer_);
  for (NearLane* lane : lanes)
    for (const auto& [index, step] : lane->steps) {
      if (lane->locations.try_emplace(step.site).second)
        lane->locations[step.site] = text.where(step.site);
      if (const auto win = definitions.wins.find(step.win); win != definitions.wins.end())
        lane->windows[step.win] = win->second.name;
    }
}

std::vector<NearFinding> Neighborhood::read() {
  std::vector<NearFinding> all;
  for (const FindingDocument& finding : run_.findings) all.push_back(lanes_of(finding));
  const auto wanted = [&](bool anchored) {
    std::map<WorldRank, std::vector<NearLane*>> lanes;
    for (NearFinding& near : all)
      for (NearLane& lane : near.lanes)
        if (lane.anchors.empty() != anchored) lanes[lane.rank].push_back(&lane);
    return lanes;
  };
  auto anchored = wanted(true);
  for (const WorldRank rank : run_.recorded) read_rank(rank, anchored[rank], true);
  // From here on the timestamps of both sides of every finding are known.
  for (NearFinding& near : all) set_phases(near);
  for (const auto& [rank, lanes] : wanted(false)) read_rank(rank, lanes, false);
  return all;
}

}  // namespace photofinish
