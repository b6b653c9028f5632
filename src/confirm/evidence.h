// The state of a finding, from the outcomes of all runs that were made for it (docs/confirm.md).
//
// Rule, in this order:
//   not reproduced   no run saw the race
//   harmful          with one scope, two orders were forced in every repetition, and their outcomes
//                    differ in the same way in all of them
//   unstable         some outcome differs from another, in whatever run
//   same outcome     every order was forced in every repetition, with each scope that was tried
//   effect unknown   otherwise: all outcomes are equal, and some order was not forced
//
// "Differ in the same way": lines are grouped by their text without numbers. In one such group all
// runs of each order agree, and the two orders do not; or all runs of one order fail, and none of
// the other. A value that varies within an order is no such difference, nor are timestamps beside
// one. If each order was run only once, a value counts if some control run had it, too: one that
// differs in every run, such as a process number, has no cause in the order.
//
// Example: put first prints "sum 600" three times; get first "sum 570", "sum 570", "sum 560". The
// group "sum #" varies within the second order: unstable. Had it been 570 each time: harmful.
//
// Limits: runs are a sample. A variation that no run shows is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "confirm/outcome.h"
#include "confirm/schedule.h"
#include "model/confirmation.h"

namespace photofinish {

struct Trial {
  std::size_t order = 0;
  Scope scope{};
  bool seen = false, forced = false;
  Outcome outcome;
};

struct Evidence {
  std::size_t orders = 0;
  std::set<std::size_t> optional = {};  // orders that may turn out to be impossible
  std::vector<Outcome> control;         // of runs without steering
  std::vector<Trial> trials;
};

struct Judgement {
  ConfirmState state{};
  // Harmful: the two orders that differ, with which scope, and how.
  Scope scope{};
  std::size_t one = 0, other = 0;
  Difference difference;
};
Judgement judge(const Evidence& evidence, std::size_t repetitions, double tolerance);

// Two orders that differ in the same way in all runs so far, both forced; how often the rarer one
// was
// run. None: 0.
std::size_t differing_runs(const Evidence& evidence, Scope scope, double tolerance);
// Whether two of all these outcomes differ; whether two do that were made in the same way.
bool varies(const Evidence& evidence, double tolerance);
bool varies_within(const Evidence& evidence, double tolerance);

// How one set of runs differs from another in the same way in all of them; empty if they do not.
Difference differ_alike(const std::vector<const Outcome*>& one,
                        const std::vector<const Outcome*>& other,
                        const std::vector<const Outcome*>& control, double tolerance);

// The groups of lines in which outcomes differ: if the finding is harmful, in the same way each
// time.
std::set<std::string> differing_groups(const Evidence& evidence, const Judgement& judgement,
                                       double tolerance);
// The distinct outcomes of a set of runs in words, most frequent first: how a run ended if it
// failed, and its lines of these groups.
std::vector<CountedOutcome> count_outcomes(const std::vector<const Outcome*>& of,
                                           const std::set<std::string>& groups);
// Of the runs of one order with this scope that saw the race; of the control runs.
std::vector<const Outcome*> outcomes_of(const Evidence& evidence, std::size_t order, Scope scope);
std::vector<const Outcome*> control_of(const Evidence& evidence);

}  // namespace photofinish
