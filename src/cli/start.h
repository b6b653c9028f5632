// Starts a launcher, and waits until its processes have ended.
#pragma once

#include <string>
#include <vector>

#include "options/options.h"

namespace photofinish {

// Open MPI refuses to run as root, as in containers. The user has asked to start it.
void allow_root();

struct Ended {
  // Its exit code; 128 and more: a signal; kExitInterrupted: the user interrupted it;
  // kExitFindings: the tool did, because of a deadlock (options.deadlock_timeout).
  int code = 0;
  bool interrupted = false;  // by the user or the tool
};
Ended start_and_wait(const std::vector<std::string>& line, const Options& options);

}  // namespace photofinish
