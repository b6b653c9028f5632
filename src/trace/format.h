// What a trace looks like on disk; docs/internals/trace-format.md is the description for people.
// A change of anything here, or of a `describe` in codec.h, is a new kTraceVersion.
#pragma once

#include <cstdint>
#include <string>

#include "model/definitions.h"
#include "model/ids.h"

namespace photofinish {

inline constexpr std::uint32_t kTraceVersion = 10;

// --- rank-N.trace: a header, then chunks, each complete in itself.

struct FileHeader {
  char magic[8];  // kFileMagic
  std::uint32_t version;
  std::int32_t rank;
  std::int32_t world_size;
  std::uint32_t reserved;
  double ns_per_unit;      // of the times in events
  std::uint64_t checksum;  // XXH3 of all before it
};
static_assert(sizeof(FileHeader) == 40, "on disk: bump kTraceVersion");
inline constexpr char kFileMagic[8] = {'P', 'H', 'O', 'T', 'O', 'F', 'I', 'N'};

// Journal: what the outside gave a task (record/journal.h), as bytes that only it understands.
enum class ChunkKind : std::uint32_t {
  Vocabulary = 1,
  Definitions = 2,
  Events = 3,
  End = 4,
  Journal = 5
};

struct ChunkHeader {
  std::uint32_t magic;  // kChunkMagic
  ChunkKind kind;
  std::uint32_t task;         // of an Events or Journal chunk
  std::uint32_t raw_size;     // bytes when decompressed
  std::uint64_t sequence;     // counts the chunks of its lane
  std::uint32_t stored_size;  // if that is raw_size, it is not compressed
  std::uint32_t reserved;
  std::uint64_t checksum;  // XXH3 of the header before it and of the stored bytes
};
static_assert(sizeof(ChunkHeader) == 40, "on disk: bump kTraceVersion");
inline constexpr std::uint32_t kChunkMagic = 0x4b484350;  // "PCHK"
// The writer makes no larger ones, and a reader refuses them: a damaged size must not become an
// allocation.
inline constexpr std::uint32_t kMaxChunk = 1u << 28;

enum class DefinitionKind : std::uint8_t {
  Rank = 1,
  Task,
  Module,
  Site,
  Group,
  Comm,
  Type,
  Op,
  Win,
  Text,
  Sampling,
  Incomplete
};

// --- rank-N.live: mapped by the running rank. What it has recorded but not yet written as chunks
// lives here, so that it survives the process however it ends. Gone after an orderly exit.

enum class RankState : std::uint32_t { Running = 1, Finalized, Exited, Aborted, Signaled };

struct LiveHeader {
  char magic[8];  // kLiveMagic
  std::uint32_t version;
  std::int32_t rank;
  std::uint32_t lane_count;
  RankState state;
  std::int32_t state_code;      // exit code, abort code or signal
  IncompleteReason incomplete;  // recording stopped early; None: it did not
  std::int64_t pid;
  char host[64];
  char why[1024];  // it stopped
};
inline constexpr char kLiveMagic[8] = {'P', 'H', 'O', 'T', 'O', 'L', 'I', 'V'};
inline constexpr std::size_t kLivePage = 4096;  // the header has a page of its own
inline constexpr std::size_t kLaneBytes = 256 * 1024;

static_assert(sizeof(LiveHeader) <= kLivePage);

struct LaneHeader {
  ChunkKind kind;  // 0: free
  std::uint32_t task;
  std::uint64_t sequence;   // of the chunk that this lane will become
  std::uint64_t committed;  // bytes of complete records
  std::uint64_t pending;    // bytes of the first half of a record behind them
  std::uint64_t
      in_call;  // 1 + the Call that the task is inside of, when it has no pending record; 0 outside
  std::uint64_t in_call_pc;
  std::uint64_t last_end;  // time at which the last committed event ended
  std::uint64_t reserved;
};
static_assert(sizeof(LaneHeader) == 64, "on disk: bump kTraceVersion");
inline constexpr std::size_t kLaneData = kLaneBytes - sizeof(LaneHeader);

std::string trace_path(const std::string& directory, WorldRank rank);
std::string live_path(const std::string& directory, WorldRank rank);

}  // namespace photofinish
