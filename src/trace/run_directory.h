// One run, one directory. `photofinish check` makes it before it starts the ranks; under another
// launcher rank 0 does. A token in run.json lets a rank on another node see whether the directory
// it finds is the same one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/ids.h"

namespace photofinish {

// Reports are written to the run directory under these names, if not told otherwise.
inline constexpr std::string_view kHtmlReport = "report.html", kJsonReport = "report.json",
                                  kSarifReport = "report.sarif", kPerfettoReport = "report.pftrace";

struct RunInfo {
  std::string token;
  std::vector<std::string> command;  // the program's, or that of a launcher
  int ranks = 0;                     // that we were to start; 0: the launcher knows
  std::string options = {};          // as format_options has them
  std::string folder = {};           // in which it was started
  std::uint64_t started_ns = 0;      // since 1970
};

std::string new_token();
// An absolute path, whether it exists or not.
std::string absolute_path(const std::string& path);

// Makes the directory and its run.json. An existing run is replaced if `overwrite`, otherwise an
// Error; a directory with anything else in it is never touched.
Result<bool> create_run_directory(const std::string& directory, const RunInfo& info,
                                  bool overwrite);
// The first of directory, directory.2, directory.3 … that does not exist, made.
Result<std::string> create_next_run_directory(const std::string& directory, const RunInfo& info);
// The name of the first of directory, directory.2, … that does not exist.
std::string next_run_directory(const std::string& directory);
bool is_run_directory(const std::string& directory);
// Renames a run to directory.1, or the number after the highest in use, and returns that name.
Result<std::string> set_aside_run(const std::string& directory);
// Held by photofinish check from the start of a run until its report, so that no other check
// renames the directory. A file descriptor; -1 if another process has it, or files cannot be
// locked here.
int lock_run(const std::string& directory);
// Whether a check, or a rank on this machine, still writes to the run.
bool run_in_use(const std::string& directory);
// Takes away what we wrote; the directory too, if nothing else is in it.
void remove_run_directory(const std::string& directory);
// What run.json says. Runs of older versions have no folder.
Result<RunInfo> read_run_info(const std::string& directory);
bool holds_token(const std::string& directory, const std::string& token);

// The ranks whose traces are there, in order. An Error if it is not a run.
Result<std::vector<WorldRank>> recorded_ranks(const std::string& directory);
// The ranks that wrote findings of their own (findings_file.h), in order.
std::vector<WorldRank> ranks_with_findings(const std::string& directory);

}  // namespace photofinish
