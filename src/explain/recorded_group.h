// What the ranks of a group did, from their traces: message matches, one-sided operations,
// collectives, and their times.
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

// One end of a message: a send, or a completed receive.
struct MessagePosition {
  MessageKey key = 0;  // equal at both ends
  Call call{};
  SiteId site;
  std::uint64_t event = 0;  // index of the event
  std::int64_t bytes = -1;
};

// Synchronization other than by messages: a collective, or a one-sided synchronization.
struct SyncPosition {
  std::uint64_t key = 0;  // equal for all that release and acquire it
  Call call{};
  SiteId site;
  std::uint64_t event = 0;
  bool data = false;  // of a release: a collective that transfers data, such as MPI_Bcast
};

// A one-sided operation of its origin.
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
  // For each task, the events that are steps (model/call.h), numbered from 1.
  std::map<TaskId, std::vector<std::uint64_t>> steps;
  std::unordered_map<std::uint64_t, Operation> operations;  // by event
  std::vector<MessagePosition> sent, received;
  std::vector<SyncPosition> released, acquired;
  std::vector<Collective> collectives;

  const Definitions& definitions() const { return trace->definitions(); }
  // The event of a step; for 0, the one before all of them.
  std::uint64_t event_of(TaskId task, std::uint64_t step) const;
  std::uint64_t time_of_tick(std::uint64_t tick) const;
};

Result<std::vector<RecordedRank>> read_group(const std::string& run,
                                             const std::vector<WorldRank>& ranks);

}  // namespace photofinish
