// Writes a launch.json for Visual Studio Code that replays ranks in its debugger.
#pragma once

#include <string>
#include <vector>

#include "cli/replaying.h"

namespace photofinish {

// Preserves other entries of the file; replaces entries of the same name.
Result<bool> write_launch_file(const std::string& path, const std::string& run,
                               const std::vector<Replay>& replays);

}  // namespace photofinish
