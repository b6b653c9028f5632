// The result of `confirm` for a finding (docs/confirm.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/finding.h"
#include "model/message_finding.h"

namespace photofinish {

enum class ConfirmState : std::uint8_t { NotReproduced, SameOutcome, Harmful };

// One order of the two accesses, or one message that a receive could match.
struct OrderTried {
  std::string name;        // "the put of rank 0 first"
  std::uint32_t runs = 0;  // until it was seen, or without success
  bool seen = false;
  bool forced = false;           // false: seen, but the library may have executed it in any order
  std::vector<WorldRank> ranks;  // of the two accesses
  std::vector<std::uint64_t> arrivals;  // how often each had reached its access site
  std::string outcome;                  // "exit code 0"
};

struct Confirmation {
  std::uint64_t key = 0;  // of the finding
  ConfirmState state{};
  std::vector<OrderTried> orders;
  std::uint64_t reached[2] = {0, 0};    // how often each access site was reached, in all runs
  std::vector<std::string> difference;  // of the outcomes, as lines "- …" and "+ …"
  bool varies = false;                  // outcomes also differ among runs of one order
};

// Equal for the same finding in every analysis of a run. Uses the call site keys as stored.
std::uint64_t key_of(const Finding& finding);
std::uint64_t key_of(const MessageFinding& finding);

}  // namespace photofinish
