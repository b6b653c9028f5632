// The input of the search for a group (group/execution.h), from recorded ranks and the access
// records of their replays.
//
// Cells are bytes that all accesses cover as a whole, or not at all. A value that no rank wrote in
// time belongs to the owner of the memory: it was there before, or uninstrumented code stored it.
//
// Not seen: loads that found what the rank already knew, window locks (their epochs may overlap in
// a schedule), and the interleaving of threads (their events are one sequence, by time).
#pragma once

#include <string>
#include <vector>

#include "explain/accesses.h"
#include "group/execution.h"

namespace photofinish {

struct EventLabel {
  std::string what = {};   // "MPI_Put halo.c:12"; empty: not shown
  std::string value = {};  // "0x2a", "64 bytes"; empty: no access
  WorldRank owner;         // of the memory
};

struct GroupExecution {
  group::Execution execution;
  std::vector<WorldRank> ranks;                // of the sequences
  std::vector<std::vector<EventLabel>> texts;  // by event
};

// An Error if there are too many accesses.
Result<GroupExecution> make_execution(const std::vector<RecordedRank>& group,
                                      const GroupAccesses& accesses);

}  // namespace photofinish
