// Builds the command line that starts the ranks of a program with the preload library.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "options/options.h"

namespace photofinish {

// `ranks` ranks of the program in `command`, under the launcher of its MPI. 0: `command` is a
// launcher command line. The options and the token are passed to each rank.
Result<std::vector<std::string>> rank_line(const Options& options, int ranks,
                                           const std::vector<std::string>& command,
                                           const std::string& token);

// The exit code if there is no such line: kExitUsage, unless the installation lacks something.
int exit_code_without_line(const Options& options, int ranks,
                           const std::vector<std::string>& command);

}  // namespace photofinish
