// The confirmation state of a finding as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/confirmation.h"

namespace photofinish {

const Confirmation* find_confirmation(const std::vector<Confirmation>& all, std::uint64_t key);

// "predicted" (null), "confirmed, harmful", "confirmed, same outcome", "not reproduced in 6 runs".
std::string state_text(const Confirmation* confirmation);
// "harmful", "same outcome": for counts.
std::string_view short_state(ConfirmState state);
// For machines: "predicted" (null), "confirmed-harmful", "confirmed-effect-unknown".
std::string_view state_id(const Confirmation* confirmation);
// "570 ×2, 560 ×1".
std::string outcomes_text(const std::vector<CountedOutcome>& outcomes);
// The outcomes of each order, how they differ, and how to force each again. `run` is the user's
// name of the run.
// `program`: further words for the command that repeats an order.
std::string confirmation_lines(const Confirmation& confirmation, std::size_t number,
                               const std::string& run, const std::string& program = "");

}  // namespace photofinish
