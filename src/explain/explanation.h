// The communication inside a group of recorded ranks (docs/internals/record-replay.md, "Explain").
#pragma once

#include <string>
#include <vector>

#include "explain/accesses.h"
#include "explain/recorded_group.h"

namespace photofinish {

// A message, or bytes of window memory, from one rank to another.
struct Transfer {
  enum class Kind : std::uint8_t { Message, Value };
  Kind kind{};
  bool inside = false;       // the writer is known: a rank of the group
  bool is_update = false;    // an accumulate, which computed the value from the previous one
  bool unexplained = false;  // no order of the group's accesses explains the value
  TransferEnd from, to;
  std::uint64_t bytes = 0;
  std::string content = {};  // of a value, if it is small
};

// Transfers that differ only in time.
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

Explanation explain(const std::vector<RecordedRank>& group, const Accounts& accounts);

// The text for users. `each`: every single transfer, instead of groups.
std::string explanation_text(const Explanation& explanation, bool each);

}  // namespace photofinish
