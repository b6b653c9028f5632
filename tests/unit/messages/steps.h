// An execution as each process would tell it, step by step.
#pragma once

#include "detect/message_sequence.h"
#include "feed.h"

namespace photofinish::testing {

struct Reported {
  WorldRank rank;
  MessageStep step;
};
// What process `process` did; the completion of a call is there if another call followed.
std::vector<MessageStep> steps_of(const Execution& execution, int process, const SiteOf& site_of);

// Tells it process by process in any order, and which message a receive took now or later; of
// locks, if it `announces` them.
void report(const Execution& execution, const SiteOf& site_of,
            const std::function<std::uint32_t()>& random, MessageSequence& sequence,
            bool announces = false);

// Whether it comes to its end with standard sends that wait. Nothing, if that hangs on which
// message a receive took that nobody was told of.
std::optional<bool> ends_unbuffered(Execution execution);

// Whether it is sure that it does not: some would wait for ever, whatever is done by those who
// asked and were told otherwise, by whoever waits for those, and by receives that take another
// message.
std::optional<bool> surely_stuck_unbuffered(Execution execution);

// Whether a send was cancelled: the next one has its number, and may be taken for it.
bool any_cancelled_send(const Execution& execution);

}  // namespace photofinish::testing
