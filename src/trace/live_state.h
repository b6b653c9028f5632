// The state of a running rank, from its live file, without reading its trace.
//
// On a network file system it may be outdated, since stores to mapped memory arrive late. So it
// shows where a rank was, not that it is still there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/ids.h"
#include "trace/format.h"

namespace photofinish {

struct LiveState {
  RankState state{};
  bool incomplete = false;  // recording has stopped
  std::int64_t pid = 0;
  std::string host;
  // No task can make a call before the one that some task is inside of returns. With overlapping
  // calls: every task is inside of one.
  bool in_calls = false;
  // Changes whenever something is recorded; without overlapping calls, by a task inside of a call.
  std::uint64_t fingerprint = 0;
};

// nullopt if there is no such file, or it cannot be read.
std::optional<LiveState> read_live_state(const std::string& directory, WorldRank rank);

}  // namespace photofinish
