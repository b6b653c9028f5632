// One run of a program under a schedule, from its start to its outcome.
//
// Whatever the program does is an outcome. The run is stopped if it hangs or the user interrupts
// it, and leaves no processes behind.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/result.h"
#include "confirm/outcome.h"
#include "confirm/schedule.h"
#include "options/options.h"

namespace photofinish {

struct Launch {
  Options options;  // of the ranks
  int ranks = 0;    // 0: `command` is a launcher's line
  int world_size = 0;
  std::vector<std::string> command;
  std::string folder;            // where it is started; empty: here
  std::string process = "rank";  // what its programming model calls a rank
  int timeout_s = 60;
  int stall_s = 0;  // it hangs if all ranks wait and none progresses for so long; 0: by time alone
  std::optional<std::regex> ignore;  // lines that are not compared
  std::vector<std::string> compare;  // files to read when it has ended
  bool shows_output = false;         // pass the program's output through instead of storing it
  bool verbose = false;
  // The run is recorded for replay: its directory, which stays, and the ranks ("2,5" or "all").
  // Empty: it is not, and its directory is removed.
  std::string recorded, recorded_ranks;
  // Called with the process of the rank that is to be debugged, when it waits for a debugger. No
  // time limit ends the run before.
  std::function<void(pid_t)> debug = {};
  std::function<void()> tick = {};  // called again and again while the program runs
  // Whether the ranks, which wait, can never go on; the directory is that of the run.
  std::function<bool(const std::string& directory)> is_deadlocked = {};
  // Called before the run is started.
  std::function<Result<bool>(const std::string& directory)> prepare = {};
  // Called when the run has ended, before its directory is removed.
  std::function<void(const std::string& directory)> inspect = {};
};

struct ConfirmingRun {
  Outcome outcome;
  std::vector<Verdict> verdicts;  // for each finding
  bool interrupted = false;
  std::string printed;       // by all ranks, and the launcher
  std::string tool_failure;  // why the tool stopped in a rank; a race that was not seen may have
                             // been missed for it
};

// The run has a directory of its own in `parent`, which is removed afterwards.
Result<ConfirmingRun> run_schedules(const std::string& parent, const Schedules& schedules,
                                    const Launch& launch);
// After the last run: `parent`, with what could not be removed before.
void remove_confirming_runs(const std::string& parent);

}  // namespace photofinish
