// The messages of a recorded run, looked at in one walk over all ranks (docs/message-races.md).
//
// Ranks are taken in the order of their clocks, so that little waits for others. With several
// threads, what a call waits for ends when the call does, not when the next one starts.
#pragma once

#include <vector>

#include "detect/analysis.h"
#include "model/message_finding.h"

namespace photofinish {

MessageFindings analyze_messages(std::vector<RankInput> ranks);

}  // namespace photofinish
