// An execution as each process would tell it, step by step.
#pragma once

#include "detect/message_sequence.h"
#include "feed.h"

namespace photofinish::testing {

struct Told {
  WorldRank rank;
  MessageStep step;
};
// What process `process` did; the completion of a call is there if another call followed.
std::vector<MessageStep> steps_of(const Execution& execution, int process, const SiteOf& site_of);

// Tells it process by process in any order, and which message a receive took now or later.
void tell(const Execution& execution, const SiteOf& site_of, const std::function<std::uint32_t()>& random, MessageSequence& sequence);

// Whether it comes to its end with standard sends that wait.
bool ends_unbuffered(const Execution& execution);

}  // namespace photofinish::testing
