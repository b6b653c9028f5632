// Starting a launcher, and staying until its processes have ended.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace photofinish {

// Open MPI refuses to start as root, which is what containers are. The user has asked us to start
// it.
void allow_root();

struct Ended {
  // Its exit code; 128 and more: a signal; kExitInterrupted: the user interrupted it;
  // kExitFindings: we did, because of a deadlock (options.deadlock_timeout).
  int code = 0;
  bool interrupted = false;  // by either
};
Ended start_and_wait(const std::vector<std::string>& line, const Options& options);

}  // namespace photofinish
