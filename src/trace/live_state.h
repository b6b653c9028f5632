// What the live file of a running rank shows at a glance, without its trace being read.
//
// Over a network file system it may be old: what is written to mapped memory arrives there late. So
// it says where a rank was, not that it is still there.
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
  bool in_calls = false;          // every task that has made a call is inside of one
  std::uint64_t fingerprint = 0;  // another one when anything has been recorded since
};

// None if there is no such file, or it cannot be read.
std::optional<LiveState> read_live_state(const std::string& directory, WorldRank rank);

}  // namespace photofinish
