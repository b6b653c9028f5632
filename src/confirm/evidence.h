// The state of a finding, from the outcomes of all runs that were made for it (docs/confirm.md).
//
// Rule, in this order:
//   not reproduced   no run saw the race
//   harmful          with one scope, two orders were forced in every repetition, at least
//                    needed_runs(), and their outcomes differ in the same way in all of them
//   unstable         some outcome differs from another, in whatever run
//   same outcome     every order was forced in every repetition, with each scope that was tried
//   effect unknown   otherwise: all outcomes are equal, and some order was not forced, or not in
//                    every instance
//
// "Differ in the same way": lines are grouped by their text without numbers. In one such group all
// runs of each order agree, and the two orders do not; or all runs of one order fail, and none of
// the other. A value that varies within an order is no such difference, nor are timestamps beside
// one. If each order was run only once, a value counts if some control run had it, too: one that
// differs in every run, such as a process number, has no cause in the order.
//
// How many repetitions: what varies by itself can agree in a few runs of each order, and differ
// between them. Let p and q be the probabilities of two values that the order does not influence.
// n runs of each order show one value in all runs of one order and the other in all runs of the
// other with probability 2(pq)^n <= 2/4^n. If something else may vary, n is the smallest number for
// which this is at most 1 % for all pairs of orders and both scopes: 5 for two orders.
//
// Only runs with the same other findings held are compared. An outcome of another run shows only
// that outcomes vary.
//
// Example: put first prints "sum 600" three times; get first "sum 570", "sum 570", "sum 560". The
// group "sum #" varies within the second order: unstable. Had it been 570 each time: harmful.
//
// Limits: runs are a sample. A variation that no run shows is not known. Another race that is not
// held, and whose order follows from the timing of the steered one, looks like its effect.
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
  bool alone = true;     // no other known finding could vary: each was held
  bool compared = true;  // the same other findings were held as in the other runs of its scope
};

struct Evidence {
  std::size_t orders = 0;
  std::set<std::size_t> optional = {};  // orders that may turn out to be impossible
  std::vector<Outcome> control;         // of runs without steering
  std::vector<Trial> trials;
  bool instances_untried = false;  // there are several, and only one could be steered
};

struct Judgement {
  ConfirmState state{};
  // Harmful: the two orders that differ, with which scope, and how.
  Scope scope{};
  std::size_t one = 0, other = 0;
  Difference difference;
};
// No run of the program has printed or written what is compared.
bool lacks_output(const Evidence& evidence);
Judgement judge(const Evidence& evidence, std::size_t repetitions, double tolerance);

// The runs of each order that a difference with this scope needs, if so many were asked for.
std::size_t needed_runs(const Evidence& evidence, Scope scope, std::size_t repetitions,
                        double tolerance);
// Two orders that differ in the same way in all runs so far, both forced; how often the rarer one
// was run. None: 0.
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
// Of the runs of one order with this scope that saw the race and are compared; of the control runs.
std::vector<const Outcome*> outcomes_of(const Evidence& evidence, std::size_t order, Scope scope);
std::vector<const Outcome*> control_of(const Evidence& evidence);

}  // namespace photofinish
