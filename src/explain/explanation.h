// Who talked to whom in a group of recorded ranks (docs/internals/record-replay.md, "Explain").
#pragma once

#include <map>
#include <string>
#include <vector>

#include "explain/recorded_group.h"
#include "record/access_records.h"

namespace photofinish {

// What a replay of one rank told, with the names of its places.
struct RankAccount {
  std::vector<AccessRecord> access_records;
  std::map<std::uint64_t, std::string> locations;  // of loads and stores, by where they return to
};
using Accounts = std::map<WorldRank, RankAccount>;

// One end of a transfer.
struct TransferEnd {
  WorldRank rank;
  std::string what;  // "MPI_Put halo.c:12", "load flag.c:31"
  std::uint64_t event =
      0;  // the rank's step in time: its event of this number, or the last before a load or store
  auto operator<=>(const TransferEnd&) const = default;
};

// A message, or bytes of window memory, from one to another.
struct Transfer {
  enum class Kind : std::uint8_t { Message, Value };
  Kind kind{};
  bool inside = false;       // the writer is known: a rank of the group
  bool is_update = false;    // an accumulate, which made the value out of what was there
  bool unexplained = false;  // no order of the group's own accesses explains the value
  TransferEnd from, to;
  std::uint64_t bytes = 0;
  std::string content = {};  // of a value, if it is small
};

// Those alike, but for when they were.
struct TransferGroup {
  Transfer first;
  std::uint64_t times = 0, bytes = 0;
};

struct Explanation {
  std::vector<WorldRank> ranks;
  std::int32_t world_size = 0;
  std::vector<Transfer> transfers;  // by reader and time
  struct Gathering {
    TransferEnd who;
    std::uint64_t times = 0;
    std::vector<WorldRank> inside, outside;
  };
  std::vector<Gathering> gatherings;  // collectives
};
std::vector<TransferGroup> grouped(const std::vector<Transfer>& transfers);

// Stores of which ranks can have been read by others of the group, and where: what a second replay
// has to tell.
std::map<WorldRank, AccessRecordFilter> wanted_stores(const std::vector<RecordedRank>& group,
                                                      const Accounts& accounts);
Explanation explain(const std::vector<RecordedRank>& group, const Accounts& accounts);

// As lines for people; `each`: every single transfer instead of those alike together.
std::string explanation_text(const Explanation& explanation, bool each);

}  // namespace photofinish
