// Environment variables that launchers set for their ranks.
#pragma once

#include <optional>

namespace photofinish {

// The rank that the launcher assigns to this process; nullopt if unknown.
std::optional<int> rank_of_launcher();

}  // namespace photofinish
