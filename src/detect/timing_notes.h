// Calls that tell what has happened so far, or choose among several: another run may be told
// otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/event.h"
#include "model/message_finding.h"

namespace photofinish {

// Whether the call could have come back with something else, had it been made a little earlier or
// later.
bool depends_on_time(const Event& event);

// By place.
class TimingNotes {
 public:
  void note(WorldRank rank, SiteId site, std::uint64_t site_key);
  std::vector<TimingDependence> all() const;

 private:
  std::map<std::uint64_t, TimingDependence> by_place_;
  TimingDependence* last_ = nullptr;  // programs stay at a place
  std::uint64_t last_key_ = 0;
};

}  // namespace photofinish
