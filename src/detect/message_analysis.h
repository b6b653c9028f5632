// The messages of a recorded run, looked at in one walk over all ranks
// (docs/internals/message-races.md).
//
// Ranks are taken in the order of their clocks, so that little waits for others. With several
// threads, what a call waits for ends when the call does, not when the next one starts. Memory:
// what is outstanding. Where that is more than `memory` bytes, half of them for the races and half
// for the walk without buffers, that half is given up, and the findings say so.
#pragma once

#include <cstddef>
#include <vector>

#include "detect/analysis.h"
#include "model/message_finding.h"

namespace photofinish {

inline constexpr std::size_t kNoMessageLimit = ~std::size_t{0};

MessageFindings analyze_messages(std::vector<RankInput> ranks,
                                 std::size_t memory = kNoMessageLimit);

}  // namespace photofinish
