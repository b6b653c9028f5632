// Reads the execution of a recorded run, for explore.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "explore/execution.h"
#include "model/message_finding.h"
#include "trace/reader.h"

namespace photofinish {

struct TracedRun {
  Execution execution;
  std::vector<std::unique_ptr<RankTrace>> traces;  // by rank
  // Calls whose result depends on timing, which is not among the choices.
  std::vector<TimingDependence> timing;
  std::map<Line, std::string> objects;  // their names
  // The rank that an object served, by process and step of its receive.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> served_rank;
  bool puts_or_gets = false;  // outside of exclusive locks: their order is not among the choices
  bool log_is_full = false;   // of the objects
  bool threads = false;  // a rank calls MPI from several threads: the order of its choices varies
  bool whole = true;     // false: a rank ended early, or its record does
};

Result<TracedRun> read_execution(const std::string& directory);

}  // namespace photofinish
