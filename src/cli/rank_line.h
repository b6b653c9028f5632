// The line that starts the ranks of a program, each with our library in it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "options/options.h"

namespace photofinish {

// `ranks` of the program that `command` names, under the launcher of its MPI; 0: `command` is a
// launcher's line. The options and the token go to each rank.
Result<std::vector<std::string>> rank_line(const Options& options, int ranks,
                                           const std::vector<std::string>& command,
                                           const std::string& token);

}  // namespace photofinish
