// Converts an execution to the steps that each process reports.
#pragma once

#include "detect/message_sequence.h"
#include "feed.h"

namespace photofinish::testing {

struct Reported {
  WorldRank rank;
  MessageStep step;
};
// The steps of process `process`; a call is complete if another call followed.
std::vector<MessageStep> steps_of(const Execution& execution, int process, const SiteOf& site_of);

// Reports the execution process by process in random order, and the match of a receive immediately
// or later. `announces`: reports locks, too.
void report(const Execution& execution, const SiteOf& site_of,
            const std::function<std::uint32_t()>& random, MessageSequence& sequence,
            bool announces = false);

// Whether the execution completes with standard sends that wait. Nothing if that depends on a match
// that was not reported.
std::optional<bool> ends_unbuffered(Execution execution);

// Whether it certainly does not complete. Some processes would wait forever. Other choices do not
// help: those of processes whose tests failed, of processes that wait for these, and of receives
// that take another message.
std::optional<bool> surely_stuck_unbuffered(Execution execution);

// Whether a send was cancelled: the next one has its number, and may be mistaken for it.
bool any_cancelled_send(const Execution& execution);

}  // namespace photofinish::testing
