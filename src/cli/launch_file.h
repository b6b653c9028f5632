// A launch.json for Visual Studio Code, with which it replays ranks under its debugger.
#pragma once

#include <string>
#include <vector>

#include "cli/replaying.h"

namespace photofinish {

// What else is in the file stays; entries of ours of the same name are replaced.
Result<bool> write_launch_file(const std::string& path, const std::string& run,
                               const std::vector<Replay>& replays);

}  // namespace photofinish
