// Offline analysis of the messages of a recorded run: one process simulates all ranks
// (docs/internals/message-races.md).
//
// Ranks are processed in the order of their clocks, so that few steps wait for other ranks. With
// several threads, a wait ends when its call returns, not when the next call starts. Memory:
// outstanding operations. `memory` is the limit in bytes, half for the races and half for the
// simulation without buffering. A half that exceeds its limit is given up, and the findings say so.
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
