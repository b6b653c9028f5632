// Describes where a replayed rank diverged from the recorded one.
#pragma once

#include <string>

#include "record/divergence.h"

namespace photofinish {

// `run` holds the recorded rank, `replay` the output of the replayed one.
std::string divergence_text(const std::string& run, const std::string& replay, WorldRank rank,
                            const Divergence& divergence);

}  // namespace photofinish
