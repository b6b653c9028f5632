// Runs the program until the evidence about a finding is complete (confirm/gathering.h).
//
// Control runs without steering are made once for all findings. While one finding is tried, others
// that hold none of its ranks are held to their first order. Invariant: a finding's state comes
// from judge() alone.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/confirming_run.h"
#include "cli/progress.h"
#include "confirm/candidates.h"
#include "confirm/evidence.h"
#include "confirm/gathering.h"

namespace photofinish {

class Confirmer {
 public:
  // `all`: the findings of the run, which outlive this. The others are kept from varying while one
  // is tried.
  Confirmer(const Options& options, const ConfirmArguments& arguments, Launch launch,
            double tolerance, const std::vector<Candidate>& all);
  Confirmer(const Confirmer&) = delete;
  Confirmer& operator=(const Confirmer&) = delete;
  ~Confirmer();

  // An Error if the program cannot be started, or the user has interrupted it: `is_interrupted`.
  Result<Confirmation> confirm(const Candidate& candidate);
  // Several that cannot disturb each other, in one run for each order and repetition. Those without
  // a value have to be tried alone.
  Result<std::vector<std::optional<Confirmation>>> confirm_together(
      const std::vector<const Candidate*>& candidates);
  // One order, in the meeting of an earlier run if there was one; up to --runs runs.
  struct Tried {
    OrderTried order;
    std::optional<Outcome> outcome;
    std::string printed;
    std::uint64_t reached[2] = {0, 0};
  };
  // `debugged`: stops at its access (Schedule::debugged).
  Result<Tried> try_order(const Candidate& candidate, std::size_t order, Scope scope,
                          const OrderTried* known, WorldRank debugged = kProcNull);
  // The program with every standard send synchronous: harmful if it hangs, else not reproduced.
  Result<Confirmation> confirm_buffering();
  // What is known of the finding whose confirmation was interrupted; none unless it is decided.
  std::optional<Confirmation> interrupted_finding() const;
  // A rank that the system had stopped for some time in a run of the last finding; kProcNull: none.
  WorldRank stopped_rank() const { return stopped_; }
  // Whether the program failed in a run that the state of the last finding is based on.
  bool has_failed_runs() const;

  Launch& launch() { return launch_; }
  // For the status line: "F2, finding 2 of 5", and the findings that follow.
  void begin(std::string text, const std::vector<const Candidate*>& following);
  void clear_status() { status_.clear(); }

 private:
  Schedule schedule_for(const Candidate& candidate, std::size_t order, Scope scope,
                        const OrderTried* known, std::uint32_t run) const;
  Result<ConfirmingRun> run(std::vector<Schedule> findings);
  Error tool_stopped(const Candidate& candidate) const;
  Result<bool> run_control(const Candidate& candidate);
  class Trials;
  Result<Trial> run_trial(const Candidate& candidate, std::size_t order, Scope scope,
                          std::uint32_t run);
  std::vector<const Candidate*> holdable_with(const Candidate& candidate) const;
  void add_held(std::vector<Schedule>& findings) const;
  Confirmation conclude() const;
  std::size_t expected_runs(const Candidate& candidate) const;
  void show_status();

  const Options& options_;
  const std::string directory_;
  Launch launch_;
  const double tolerance_;
  const std::size_t repetitions_;
  const std::vector<Candidate>& all_;
  std::set<std::uint64_t> unholdable_;  // by key: they did not happen when they were held
  StatusLine status_;
  std::vector<Outcome> control_;

  // Of the finding that is being tried.
  std::uint64_t key_ = 0;
  Evidence evidence_;
  std::vector<OrderTried> orders_;
  std::vector<const Candidate*> held_;  // other findings
  std::set<std::uint64_t> lost_;        // of these, in the last run
  std::uint64_t reached_[2] = {0, 0}, meetings_ = 0;
  std::string tool_failure_;  // of a run that did not see the race
  WorldRank stopped_ = kProcNull;
  bool repeats_ = false;      // an access site was reached several times in a run
  bool by_messages_ = false;  // the ranks of a run were on several nodes

  std::string now_at_;
  std::size_t runs_ = 0, runs_before_ = 0, runs_expected_ = 0, runs_following_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline bool is_interrupted(const Error& error) { return error.message == "interrupted"; }

}  // namespace photofinish
