// The directory of one run. `photofinish check` creates it before it starts the ranks; under
// another launcher, rank 0 does. A token in run.json shows a rank on another node whether it sees
// the same directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/ids.h"

namespace photofinish {

// Default file names of reports in the run directory.
inline constexpr std::string_view kHtmlReport = "report.html", kJsonReport = "report.json",
                                  kSarifReport = "report.sarif", kPerfettoReport = "report.pftrace";

// What explore knows (explore/state_file.h).
inline constexpr std::string_view kExploredFile = "explored.state";
// What reports resolved (symbols/saved_symbols.h).
inline constexpr std::string_view kSymbolsName = "symbols.json";
// How a recorded run was steered (confirm/schedule.h).
inline constexpr std::string_view kScheduleName = "schedule";

struct RunInfo {
  std::string token;
  std::vector<std::string> command;  // of the program or the launcher
  int ranks = 0;                     // number of ranks to start; 0: the launcher decides
  std::string options = {};          // in the form of format_options
  std::string folder = {};           // working directory at the start
  std::uint64_t started_ns = 0;      // since 1970
};

std::string new_token();
// An absolute path; it need not exist.
std::string absolute_path(const std::string& path);

// Creates the directory and its run.json. An existing run is replaced if `overwrite`, otherwise an
// Error. A directory with other contents is never changed.
Result<bool> create_run_directory(const std::string& directory, const RunInfo& info,
                                  bool overwrite);
// Creates the first of directory, directory.2, directory.3 … that does not exist.
Result<std::string> create_next_run_directory(const std::string& directory, const RunInfo& info);
// The name of the first of directory, directory.2, … that does not exist.
std::string next_run_directory(const std::string& directory);
bool is_run_directory(const std::string& directory);
// Renames a run to directory.1, or the number after the highest in use, and returns that name.
Result<std::string> set_aside_run(const std::string& directory);
// Held by photofinish check from the start of a run until its report, so that no other check
// renames the directory. A file descriptor; -1 if another process holds it, or file locks are
// unavailable.
int lock_run(const std::string& directory);
// Whether a check, or a rank on this machine, still writes to the run.
bool run_in_use(const std::string& directory);
// Removes the files of the tool, and the directory if it is then empty.
void remove_run_directory(const std::string& directory);
// The contents of run.json. Runs of older versions have no folder.
Result<RunInfo> read_run_info(const std::string& directory);
bool holds_token(const std::string& directory, const std::string& token);

// The ranks with a trace, in order. An Error if it is not a run.
Result<std::vector<WorldRank>> recorded_ranks(const std::string& directory);
// The ranks that wrote their own findings (findings_file.h), in order.
std::vector<WorldRank> ranks_with_findings(const std::string& directory);

}  // namespace photofinish
