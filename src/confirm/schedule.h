// What a confirming run is to make happen, as the tool tells the ranks, and what came of it, as
// each rank tells the tool. Both are files in the directory of that run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/access.h"
#include "model/ids.h"

namespace photofinish {

struct ScheduledSide {
  AccessKind kind{};
  Call call{};
  std::vector<std::uint64_t>
      places;  // place_key of whole stacks; of loads and stores: of the innermost frame alone
  std::vector<std::uint32_t> lines;  // of loads and stores: those of their places (base/line_key.h)
  // Only this rank takes part, from this arrival on; kAnySource: everybody, as chance has it.
  WorldRank rank = kAnySource;
  std::uint64_t arrival = 0;
};

enum class RaceKind : std::uint8_t { Memory, Message };

struct Schedule {
  RaceKind kind{};
  std::vector<ScheduledSide> sides;  // two; of a message race: the receive
  std::uint32_t first = 0;           // the side that goes first
  std::uint32_t unit_ms = 0;         // what is a moment to the program
  std::uint32_t pause_ms = 0;        // of each pause
  std::uint32_t patience_ms = 0;     // of all pauses of a rank
  std::uint64_t seed = 0;
  // Of a race in a window: where it was, in bytes from its begin; null: in a buffer.
  Uid win;
  std::int64_t offset = 0;
  std::uint64_t bytes = 0;
  // Of a message race: which messages the receives and probes from any source of that rank are to
  // get, in their order, and which of them it is about.
  struct Match {
    WorldRank source;
    std::int64_t tag = kAnyTag;
  };
  std::vector<Match> matches;
  std::uint64_t steered = 0;
};

// All that one run is to make happen: of several findings each has ranks of its own.
struct Schedules {
  std::vector<Schedule> findings;
  bool by_letters = false;  // even where all ranks share a node
};

// Which of them a rank takes part in; the first if in none, or if everybody does.
std::size_t finding_of(const Schedules& schedules, WorldRank rank);

// How far a rank got. In memory that is mapped from a file: it survives the rank.
struct Account {
  std::uint64_t reached[2];  // how often it came to each side
  std::uint64_t pauses, paused_ns;
  std::uint32_t met, forced;
  std::int32_t ranks[2];  // who met, by side
  std::uint64_t arrivals[2];
  std::uint32_t finding;     // of those of this run
  std::uint32_t by_letters;  // it counts if both of them have it
  std::int32_t rank;
  std::uint32_t steered;  // the rank follows the schedule
};

// What the ranks of a run say together of one of its findings.
struct Verdict {
  bool seen = false, forced = false;
  std::vector<WorldRank> ranks;  // by side
  std::vector<std::uint64_t> arrivals;
  std::uint64_t reached[2] = {0, 0};
};
Verdict verdict_of(const std::vector<Account>& accounts, std::size_t finding);

inline constexpr const char* kScheduleFile = "/schedule";
inline constexpr const char* kBoardFile = "/board";

Result<bool> write_schedules(const std::string& directory, const Schedules& schedules);
Result<Schedules> read_schedules(const std::string& directory);

std::string account_path(const std::string& directory, WorldRank rank);
// Of all ranks that have one.
std::vector<Account> read_accounts(const std::string& directory, int ranks);

// Memory that is shared with whoever has the same file, `bytes` of it, zero at first; null if there
// is none.
void* map_shared_file(const std::string& path, std::size_t bytes);

}  // namespace photofinish
