// What explore knows about a program, in the run directory: it is shown again, resumed, and the
// outcomes are replayed from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "confirm/outcome.h"
#include "explore/search.h"

namespace photofinish {

struct KnownOutcome {
  Outcome outcome;
  bool deadlock = false;             // proven: the ranks could never go on
  std::vector<std::string> details;  // which rank waits for what
};

struct ExploreState {
  std::vector<KnownOutcome> outcomes;
  std::vector<ExploredRun> runs;
  std::vector<Prescription> pending;
  std::uint64_t not_followed = 0;      // runs that could not follow their prescription
  std::uint64_t cut_short = 0;         // runs in which a rank failed before all others waited
  std::uint64_t ranks = 0;             // of the program
  std::uint64_t milliseconds = 0;      // of the longest run that ended
  std::vector<std::string> untracked;  // why some behavior is not among the choices
  // The call site of each choice of each run, as an index into `locations`.
  std::vector<std::map<Line, std::vector<std::uint32_t>>> sites;
  std::vector<std::string> locations;
  std::map<Line, std::string> objects;  // their names
};

bool has_explore_state(const std::string& directory);
Result<ExploreState> read_explore_state(const std::string& directory);
Result<bool> write_explore_state(const std::string& directory, const ExploreState& state);

}  // namespace photofinish
