// The result of photofinish group, as text.
#pragma once

#include <string>

#include "explain/group_execution.h"
#include "group/choose.h"

namespace photofinish {

std::vector<WorldRank> ranks_of(const GroupExecution& execution, const group::Choice& choice);

// Why each rank is in the group, and the schedule. `each`: all of its steps.
std::string reasons_text(const GroupExecution& execution, const group::Choice& choice);
std::string schedule_text(const GroupExecution& execution, const group::Choice& choice, bool each);
// The reads that no schedule explains.
std::string contradiction_text(const GroupExecution& execution, const group::Choice& choice);

}  // namespace photofinish
