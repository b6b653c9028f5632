// Whether other threads of the process have something to do.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <vector>

namespace photofinish {

std::vector<pid_t> other_threads();  // than the one that asks, by the system's numbers

// Until all of them wait for something, or have ended. False: not within this time.
bool wait_until_resting(const std::vector<pid_t>& threads, std::chrono::milliseconds most);

}  // namespace photofinish
