// What became of a finding when it was tried to make it happen (docs/confirm.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/finding.h"
#include "model/message_finding.h"

namespace photofinish {

enum class ConfirmState : std::uint8_t { NotReproduced, SameOutcome, Harmful };

// One order of the two sides, or one message of those that a receive could get.
struct OrderTried {
  std::string name;        // "the put of rank 0 first"
  std::uint32_t runs = 0;  // that it took, or that were in vain
  bool seen = false;
  bool forced = false;  // false: it was seen, and the library may have done it in any order
  std::vector<WorldRank> ranks;         // who met, by side
  std::vector<std::uint64_t> arrivals;  // and which time it was for each
  std::string outcome;                  // "exit code 0"
};

struct Confirmation {
  std::uint64_t key = 0;  // of the finding
  ConfirmState state{};
  std::vector<OrderTried> orders;
  std::uint64_t reached[2] = {0, 0};    // how often the sides were come to, in all runs
  std::vector<std::string> difference;  // of the outcomes, as lines "- …" and "+ …"
  bool varies = false;                  // outcomes differ among runs of one order, too
};

// The same for the same finding, however often a run is analyzed. With the keys of places as they
// are read.
std::uint64_t key_of(const Finding& finding);
std::uint64_t key_of(const MessageFinding& finding);

}  // namespace photofinish
