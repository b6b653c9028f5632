// Detects whether other threads of the process are blocked.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

namespace photofinish {

std::vector<pid_t> other_threads();  // thread ids of all threads but the caller

// Waits until all of them are blocked, or have ended. False: timeout.
bool wait_until_resting(const std::vector<pid_t>& threads, std::chrono::milliseconds most);

}  // namespace photofinish
