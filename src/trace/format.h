// The on-disk format of a trace, documented in docs/internals/trace-format.md. A change here, or of
// a `describe` in codec.h, needs a new kTraceVersion.
#pragma once

#include <cstdint>
#include <string>

#include "model/definitions.h"
#include "model/ids.h"

namespace photofinish {

inline constexpr std::uint32_t kTraceVersion = 13;

// --- rank-N.trace: a header, then self-contained chunks.

struct FileHeader {
  char magic[8];  // kFileMagic
  std::uint32_t version;
  std::int32_t rank;
  std::int32_t world_size;
  std::uint32_t reserved;
  double ns_per_unit;      // unit of the times in events
  std::uint64_t checksum;  // XXH3 of everything before it
};
static_assert(sizeof(FileHeader) == 40, "on disk: bump kTraceVersion");
inline constexpr char kFileMagic[8] = {'P', 'H', 'O', 'T', 'O', 'F', 'I', 'N'};

// Journal: the external inputs of a task (record/journal.h), as opaque bytes.
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
  std::uint32_t raw_size;     // decompressed size in bytes
  std::uint64_t sequence;     // number of the chunk in its lane
  std::uint32_t stored_size;  // if equal to raw_size: not compressed
  std::uint32_t reserved;
  std::uint64_t checksum;  // XXH3 of the preceding header and of the stored bytes
};
static_assert(sizeof(ChunkHeader) == 40, "on disk: bump kTraceVersion");
inline constexpr std::uint32_t kChunkMagic = 0x4b484350;  // "PCHK"
// The writer creates no larger chunks, and a reader rejects them, so that a damaged size causes no
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
  Incomplete,
  Block
};

// --- rank-N.live: mapped by the running rank. Holds what is recorded and not yet written as
// chunks, so that it survives any end of the process. Removed at a normal exit.

enum class RankState : std::uint32_t { Running = 1, Finalized, Exited, Aborted, Signaled };

struct LiveHeader {
  char magic[8];  // kLiveMagic
  std::uint32_t version;
  std::int32_t rank;
  std::uint32_t lane_count;
  RankState state;
  std::int32_t state_code;      // exit code, abort code or signal
  IncompleteReason incomplete;  // why recording stopped early; None: it did not
  std::int64_t pid;
  char host[64];
  char why[1024];  // text for `incomplete`
  // MPI_THREAD_MULTIPLE: while one task waits in a call, another may make the next one.
  std::uint32_t calls_overlap;
};
inline constexpr char kLiveMagic[8] = {'P', 'H', 'O', 'T', 'O', 'L', 'I', 'V'};
inline constexpr std::size_t kLivePage = 4096;  // the header has its own page
inline constexpr std::size_t kLaneBytes = 256 * 1024;

static_assert(sizeof(LiveHeader) <= kLivePage);

struct LaneHeader {
  ChunkKind kind;  // 0: free
  std::uint32_t task;
  std::uint64_t sequence;   // of the chunk that this lane will become
  std::uint64_t committed;  // size of the complete records in bytes
  std::uint64_t pending;    // size of the first half of a record after them
  // 1 + the Call that the task is inside of, if it has no pending record; 0: none.
  std::uint64_t in_call;
  std::uint64_t in_call_pc;
  std::uint64_t last_end;  // when the last committed event ended
  std::uint64_t reserved;
};
static_assert(sizeof(LaneHeader) == 64, "on disk: bump kTraceVersion");
inline constexpr std::size_t kLaneData = kLaneBytes - sizeof(LaneHeader);

std::string trace_path(const std::string& directory, WorldRank rank);
std::string live_path(const std::string& directory, WorldRank rank);

}  // namespace photofinish
