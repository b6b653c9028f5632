// One order of one finding: shown again, recorded for replay, or stopped in gdb at its access.
#pragma once

#include <vector>

#include "cli/commands.h"
#include "cli/confirmer.h"
#include "confirm/candidates.h"

namespace photofinish {

inline bool forces_one_order(const ConfirmArguments& arguments) {
  return arguments.order > 0 || arguments.record || arguments.debugged >= 0;
}

// `chosen`: the findings that the user named, or all; `known`: the states of earlier confirmations.
// Returns the exit code.
int force_order(Confirmer& confirmer, const Options& options, const ConfirmArguments& arguments,
                const std::vector<Candidate>& chosen, const std::vector<Confirmation>& known);

}  // namespace photofinish
