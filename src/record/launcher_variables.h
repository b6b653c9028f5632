// What launchers tell their ranks in the environment.
#pragma once

#include <optional>

namespace photofinish {

// The rank that this process will have, as its launcher says; nothing where it does not say.
std::optional<int> rank_of_launcher();

}  // namespace photofinish
