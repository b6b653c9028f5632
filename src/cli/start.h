// Starting a launcher, and staying until its processes have ended.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace photofinish {

// Open MPI refuses to start as root, which is what containers are. The user has asked us to start
// it.
void allow_root();

// Its exit code; 128 and more: a signal; kExitInterrupted: it says that all is well, and the user
// interrupted it.
int start_and_wait(const std::vector<std::string>& line, const Options& options);

}  // namespace photofinish
