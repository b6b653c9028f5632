// Runs the program once for each matching of its messages, several runs at a time, and stores what
// is known after each run (explore/search.h).
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "cli/commands.h"
#include "cli/confirming_run.h"
#include "cli/explored_text.h"
#include "cli/progress.h"
#include "explore/search.h"
#include "explore/state_file.h"
#include "explore/trace_execution.h"

namespace photofinish {

class Explorer {
 public:
  Explorer(const Options& options, const ExploreArguments& arguments, std::string run,
           Launch launch, ExploreState state, double tolerance);
  Explorer(const Explorer&) = delete;
  Explorer& operator=(const Explorer&) = delete;
  ~Explorer();

  // Until all is explored, or a limit is reached. An Error if the program cannot be started.
  Result<bool> explore();
  // One run with the choices of an earlier one, its output passed through.
  struct Again {
    Outcome outcome;
    bool followed = false;
    std::vector<std::string> details;
  };
  Result<Again> repeat(const Matching& matching);

  const std::string& process() const { return launch_.process; }  // "rank", "PE"
  bool interrupted() const { return interrupted_; }
  bool is_complete() const { return search_.is_complete(); }
  std::size_t given_up() const { return search_.given_up(); }
  double estimate() const { return search_.estimate(); }
  const ExploreState& state() const { return state_; }
  const std::string& unstored() const { return unstored_; }  // why the state is not stored

 private:
  struct Inspected {
    std::optional<Error> error;
    Choices choices;
    std::map<Line, std::vector<std::string>> locations;  // of the choices
    std::map<Line, std::string> objects;
    std::vector<std::string> untracked;
    std::vector<std::string> deadlock;  // who waits for what
    std::size_t ranks = 0;
    bool whole = true, in_turn = true;
  };
  struct Made {
    ConfirmingRun run;
    Inspected inspected;
    std::uint64_t milliseconds = 0;
  };

  void work();
  Result<Made> make_run(const Matching& prescribed, Launch launch, std::uint32_t longest_run);
  Inspected inspect(const std::string& directory);
  std::vector<std::string> deadlock(const std::string& directory);
  void add(const Prescription& prescription, Made made);
  std::uint64_t outcome_of(const Outcome& outcome, const std::vector<std::string>& deadlock);
  void store();
  void set_limits();
  bool may_go_on() const;
  void show_status();

  const Options& options_;
  const ExploreArguments& arguments_;
  const std::string run_, directory_;
  const double tolerance_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  Launch launch_;
  ExploreState state_;
  Search search_;
  StatusLine status_;
  std::optional<Error> error_;
  std::string unstored_;
  bool interrupted_ = false;
  std::size_t made_ = 0, under_way_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point stored_ = {};

  ExploredText text_;
};

}  // namespace photofinish
