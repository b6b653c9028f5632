// What confirm learned about a finding (docs/confirm.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/finding.h"
#include "model/message_finding.h"

namespace photofinish {

// From the least to the most that was learned; confirm/evidence.h has the rule.
enum class ConfirmState : std::uint8_t {
  NotReproduced,
  EffectUnknown,
  SameOutcome,
  Unstable,
  Harmful,
};
inline bool is_confirmed(ConfirmState state) { return state != ConfirmState::NotReproduced; }

struct CountedOutcome {
  std::string text;  // "sum 570", "exit code 139, rank 1: Segmentation fault"
  std::uint32_t times = 1;
  bool operator==(const CountedOutcome&) const = default;
};

// One order of the two accesses, or one message of those that a receive could match.
struct OrderTried {
  std::string name;                        // "the put race.c:18 first"
  std::uint32_t runs = 0;                  // that were made for it
  std::uint32_t observed = 0, forced = 0;  // runs that saw the race; and in this order for certain
  std::vector<WorldRank> ranks;            // that met, by side
  std::vector<std::uint64_t> arrivals;     // and how often each had reached its site
  bool optional = false;  // one that the report does not list; not shown unless it is seen
  std::string outcome;    // of a run that did not see the race and failed; else empty
  std::vector<CountedOutcome> outcomes;  // of the runs that saw it

  bool seen() const { return observed > 0; }
  bool is_forced() const { return observed > 0 && forced == observed; }
};

struct Confirmation {
  std::uint64_t key = 0;  // of the finding
  ConfirmState state{};
  std::vector<OrderTried> orders;
  bool every = false;  // `outcomes` are of runs in which every instance was steered, not one
  std::uint64_t meetings = 0;           // of such a run, at most
  bool one_of_several = false;          // instances: it was steered, the others could not be
  bool only_exit_codes = false;         // were compared: no run had any output
  std::vector<CountedOutcome> control;  // of runs without steering
  std::uint64_t reached[2] = {0, 0};    // how often the access sites were reached, in all runs
  std::vector<std::string> difference;  // of the outcomes, as lines "- …" and "+ …"
};

// The deadlock that is predicted if no send is buffered.
inline constexpr std::uint64_t kBufferingKey = 1;

// Equal for the same finding in every analysis of a run. Uses the call site keys as stored.
std::uint64_t key_of(const Finding& finding);
std::uint64_t key_of(const MessageFinding& finding);

}  // namespace photofinish
