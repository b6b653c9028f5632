// Reads the execution of a recorded run, for explore.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "explore/execution.h"
#include "explore/object_order.h"
#include "model/message_finding.h"
#include "trace/reader.h"

namespace photofinish {

// A call on record.
struct CallPlace {
  SiteId site;
  std::uint64_t site_key = 0;
  Call call{};
};
struct CallOfRank {
  WorldRank rank;
  CallPlace place;
};

// What a choice is made at: a word that atomic operations access, or a lock.
struct ObjectPlace {
  Uid window;
  WorldRank target;
  std::uint64_t displacement = 0;
  SharedObject type = SharedObject::Word;
};

// At the end of the record, a rank waits for a lock that another one holds.
struct LockWait {
  WorldRank rank, holder;
  Line line = 0;
  CallPlace place;
};

struct TracedRun {
  Execution execution;
  std::vector<std::unique_ptr<RankTrace>> traces;  // by rank
  // Calls whose result depends on timing, which is not among the choices.
  std::vector<TimingDependence> timing;
  std::vector<CallOfRank> uncontrolled;  // the same, of other calls than MPI's
  // Calls that poll an object: how often they see it unchanged is not among the choices.
  std::vector<CallOfRank> polling;
  std::vector<LockWait> lock_waits;
  std::map<Line, ObjectPlace> objects;
  // The rank that an object served, by process and step of its receive.
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> served_rank;
  bool puts_or_gets = false;  // outside of exclusive locks: their order is not among the choices
  bool log_is_full = false;   // of the objects
  bool in_turn = true;        // false: a rank went on before its turn at an object
  bool threads = false;  // a rank calls MPI from several threads: the order of its choices varies
  bool whole = true;     // false: a rank ended early, or its record does
};

Result<TracedRun> read_execution(const std::string& directory);

}  // namespace photofinish
