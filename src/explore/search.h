// Which runs to make, so that each possible matching happens once.
//
// Every alternative of every run is explored: it needs a run that follows what it prescribes. If an
// earlier run does, nothing is left to do. Otherwise a new run is made, and its matching differs
// from all earlier ones. So the number of runs is the number of matchings, if every run follows
// what was prescribed. Two runs at a time follow prescriptions that exclude each other.
//
// Alternatives with the fewest changes come first: most failures need one or two.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "explore/execution.h"

namespace photofinish {

struct Prescription {
  Matching matching;
  std::uint32_t changes = 0;  // alternatives taken, from the first run on
  std::uint32_t tries = 0;
};

struct ExploredRun {
  Matching matching;
  std::uint64_t outcome = 0;
  double estimate = 1;
};

class Search {
 public:
  Search() { pending_.push_back({}); }  // the first run is free
  // From stored state. Runs that were under way are among `pending`.
  Search(std::vector<ExploredRun> runs, std::vector<Prescription> pending);

  // The next run to make, besides those under way. None: all is explored, or something else has to
  // end first (`is_complete` tells).
  std::optional<Prescription> next();
  // The run followed its prescription.
  void add(const Prescription& prescription, const Choices& choices, std::uint64_t outcome);
  // It did not, and is tried again, or given up.
  void failed(Prescription prescription, std::uint32_t most_tries);
  // It was not finished.
  void give_back(const Prescription& prescription);

  bool is_complete() const { return pending_.empty() && under_way_.empty() && given_up_.empty(); }
  const std::vector<ExploredRun>& runs() const { return runs_; }
  // Including those under way, and those given up: to be stored.
  std::vector<Prescription> pending() const;
  std::size_t given_up() const { return given_up_.size(); }
  // Of the number of runs until all is explored: the mean estimate of the runs made, and at least
  // what is known to be left.
  double estimate() const;

 private:
  bool is_explored(const Matching& prescribed) const;
  void end(const Prescription& prescription);

  std::vector<ExploredRun> runs_;
  std::vector<Prescription> pending_;
  std::vector<Prescription> under_way_;
  std::set<Matching> known_;  // that were pending at some time
  std::vector<Prescription> given_up_;
};

// A choice of a run, and whether it is needed for the outcome.
struct NeededChoice {
  Line line = 0;
  std::size_t index = 0;
  Match match;
};
// The smallest set of choices of a run with this outcome that no run with another outcome made, as
// far as explored; `run` becomes the index of that run. Exact up to two choices, greedy beyond.
std::vector<NeededChoice> smallest_choices(const std::vector<ExploredRun>& runs,
                                           std::uint64_t outcome, std::size_t& run);

}  // namespace photofinish
