#include "trace/live_state.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace photofinish {

std::optional<LiveState> read_live_state(const std::string& directory, WorldRank rank) {
  const int file = open(live_path(directory, rank).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::optional<LiveState> live;
  LiveHeader header{};
  const auto read_whole = [&](void* to, std::size_t size, std::uint64_t offset) {
    return pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
  };
  if (read_whole(&header, sizeof header, 0) &&
      std::memcmp(header.magic, kLiveMagic, sizeof kLiveMagic) == 0 &&
      header.version == kTraceVersion) {
    live.emplace();
    live->state = header.state;
    live->incomplete = header.incomplete != IncompleteReason::None;
    live->pid = header.pid;
    live->host.assign(header.host, strnlen(header.host, sizeof header.host));
    live->fingerprint = XXH3_64bits(&header, sizeof header);
    std::size_t tasks = 0, in_calls = 0;
    for (std::uint64_t lane = 0; lane < header.lane_count && live; ++lane) {
      LaneHeader here{};
      if (!read_whole(&here, sizeof here, kLivePage + lane * kLaneBytes)) {
        live.reset();
        break;
      }
      const bool in_call = here.pending != 0 || here.in_call != 0;
      if (in_call || header.calls_overlap != 0)
        live->fingerprint = XXH3_64bits_withSeed(&here, sizeof here, live->fingerprint);
      if (here.kind != ChunkKind::Events) continue;
      ++tasks;
      in_calls += in_call ? 1 : 0;
    }
    if (live) live->in_calls = in_calls > 0 && (in_calls == tasks || header.calls_overlap == 0);
  }
  close(file);
  return live;
}

}  // namespace photofinish
