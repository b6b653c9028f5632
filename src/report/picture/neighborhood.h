// Reads the events near each finding from the traces. Each trace is read once for all findings, and
// only the events near a finding are stored.
//
// Near a finding are: the calls around the one that began an access and around the one that
// completed it, and those that opened and closed the epoch of its window. For a rank that only owns
// the memory: the calls of the same phase. Other calls are only counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/event.h"
#include "report/document.h"
#include "report/run_notes.h"
#include "symbols/symbolizer.h"

namespace photofinish {

// Links a step to those of other ranks. Both ends have the same key.
struct Tie {
  enum class Kind : std::uint8_t { Send, Receive, Release, Acquire };
  Kind kind{};
  std::uint64_t key = 0;
  std::uint64_t operation = 0;  // for a receive: the key follows later
};

struct NearStep {
  std::uint64_t index = 0;
  Call call{};
  SiteId site;
  bool returned = true;
  SyncPoint before = 0,
            after = 0;         // number of sync points passed at its start and at its return
  WorldRank peer = kProcNull;  // destination, source or target
  std::int64_t tag = kAnyTag;
  WinId win;
  std::vector<Tie> ties;
};

struct NearEpoch {
  std::uint64_t opened = 0, closed = ~std::uint64_t{0};  // indices of stored steps
  std::string label;
};

// One lane of the picture of a finding.
struct NearLane {
  WorldRank rank;
  std::vector<std::uint64_t> anchors;  // indices of required events
  Uid win;                             // the window whose epochs are drawn
  std::optional<SyncPoint> phase;      // instead of anchors, for a rank that only owns the memory
  std::map<std::uint64_t, NearStep> steps;
  std::map<SiteId, std::string> locations;  // call sites of its steps: "main race.c:18"
  std::map<WinId, std::string> windows;     // window names
  std::vector<NearEpoch> epochs;
  std::uint64_t events = 0;  // of the rank in total
};
struct NearFinding {
  std::vector<NearLane> lanes;  // sorted by rank
  int lane_of(WorldRank rank) const;
};

// The number of events of a rank, by call, and how the rank ended.
struct RankCounts {
  WorldRank rank;
  std::string end;  // "exit 0", "signal 11 (SIGSEGV)"
  std::uint64_t events = 0;
  std::map<Call, std::uint64_t> calls;
  std::uint64_t nanoseconds = 0;  // from its first event to its last
};

class Neighborhood {
 public:
  explicit Neighborhood(const RunDocument& run)
      : run_(run), symbolizer_(saved_symbols(run.directory)) {}
  // Reads the traces. Returns a value for each finding.
  std::vector<NearFinding> read();
  // Of all ranks, after read().
  const std::vector<RankCounts>& counts() const { return counts_; }

 private:
  void read_rank(WorldRank rank, const std::vector<NearLane*>& lanes, bool counts);

  const RunDocument& run_;
  Symbolizer symbolizer_;
  std::vector<RankCounts> counts_;
};

}  // namespace photofinish
