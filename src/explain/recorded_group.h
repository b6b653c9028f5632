// What the ranks of a group did, from their traces: who sent what they received, their one-sided
// operations, collectives, and when all that was.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "explain/writers.h"
#include "model/access.h"
#include "model/message.h"
#include "trace/common_time.h"
#include "trace/reader.h"

namespace photofinish {

// One end of a message: a send, or a receive that is complete.
struct MessagePosition {
  MessageKey key = 0;  // the same at both ends
  Call call{};
  SiteId site;
  std::uint64_t event = 0;  // the rank's step in time
  std::int64_t bytes = -1;
};

// A one-sided operation, seen from its origin.
struct Operation {
  Access access;  // at its target
  bool reads = false, writes = false;
};

struct Collective {
  Call call{};
  SiteId site;
  std::uint64_t times = 0;
  std::vector<WorldRank> members;
};

struct RecordedRank {
  WorldRank rank;
  std::int32_t world_size = 0;
  std::unique_ptr<RankTrace> trace;
  RankTime time;
  std::vector<TimeSpan> times;  // by event
  std::map<TaskId, std::vector<std::uint64_t>>
      steps;  // of each task, the events that are steps (model/call.h): the first is number 1
  std::unordered_map<std::uint64_t, Operation> operations;  // by event
  std::vector<MessagePosition> sent, received;
  std::vector<Collective> collectives;

  const Definitions& definitions() const { return trace->definitions(); }
  // The event of a step; that before all of them for 0.
  std::uint64_t event_of(TaskId task, std::uint64_t step) const;
  std::uint64_t time_of_tick(std::uint64_t tick) const;
};

Result<std::vector<RecordedRank>> read_group(const std::string& run,
                                             const std::vector<WorldRank>& ranks);

}  // namespace photofinish
