// Where a replayed rank went another way than the recorded one, in words.
#pragma once

#include <string>

#include "record/divergence.h"

namespace photofinish {

// `run` holds the recorded rank, `replay` what the replayed one left.
std::string divergence_text(const std::string& run, const std::string& replay, WorldRank rank,
                            const Divergence& divergence);

}  // namespace photofinish
