// The events near each finding, from the traces. A trace is read once for all findings, and of it
// only what is near one is kept.
//
// Near is: the calls around the one that began an access, and around the one that completed it;
// those that opened and closed the epoch of its window; and, of a rank that only owns the memory,
// those of the same phase. The rest is counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "report/document.h"
#include "symbols/symbolizer.h"

namespace photofinish {

// How a step is tied to those of other ranks. Both ends have the same key.
struct Tie {
  enum class Kind : std::uint8_t { Send, Receive, Release, Acquire };
  Kind kind{};
  std::uint64_t key = 0;
  std::uint64_t operation = 0;  // of a receive: its key follows
};

struct NearStep {
  std::uint64_t index = 0;
  Call call{};
  SiteId site;
  bool returned = true;
  SyncPoint before = 0,
            after = 0;         // sync points that were done when it began, and when it returned
  WorldRank peer = kProcNull;  // that it sends to, receives from, or reaches
  std::int64_t tag = kAnyTag;
  WinId win;
  std::vector<Tie> ties;
};

struct NearEpoch {
  std::uint64_t opened = 0, closed = ~std::uint64_t{0};  // indices of steps that are kept
  std::string label;
};

// One lane of one finding.
struct NearLane {
  WorldRank rank;
  std::vector<std::uint64_t> anchors;  // indices of events that must be there
  Uid win;                             // whose epochs are of interest
  std::optional<SyncPoint>
      phase;  // instead of anchors: what is near in time, for a rank that only owns the memory
  std::map<std::uint64_t, NearStep> steps;
  std::map<SiteId, std::string> locations;  // of its steps: "main race.c:18"
  std::map<WinId, std::string> windows;     // their names
  std::vector<NearEpoch> epochs;
  std::uint64_t events = 0;  // of the rank, in all
};
struct NearFinding {
  std::vector<NearLane> lanes;  // by rank
  int lane_of(WorldRank rank) const;
};

// How many events of which calls a rank has, and how it ended.
struct RankCounts {
  WorldRank rank;
  std::string end;  // "exit 0", "signal 11 (SIGSEGV)"
  std::uint64_t events = 0;
  std::map<Call, std::uint64_t> calls;
  std::uint64_t nanoseconds = 0;  // from its first event to its last
};

class Neighbourhood {
 public:
  explicit Neighbourhood(const RunDocument& run) : run_(run) {}
  // What is near, a value for each finding. Reads the traces.
  std::vector<NearFinding> read();
  // Of all ranks, once they were read.
  const std::vector<RankCounts>& counts() const { return counts_; }

 private:
  void read_rank(WorldRank rank, const std::vector<NearLane*>& lanes, bool counts);

  const RunDocument& run_;
  Symbolizer symbolizer_;
  std::vector<RankCounts> counts_;
};

}  // namespace photofinish
