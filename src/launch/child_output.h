// Runs a program without input, and returns what it prints on both outputs: the first 64 KiB, for
// at most 10 seconds. Empty if it cannot be started.
#pragma once

#include <string>
#include <vector>

namespace photofinish {

std::string child_output(const std::vector<std::string>& words);

}  // namespace photofinish
