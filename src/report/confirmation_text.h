// The confirmation state of a finding as text.
#pragma once

#include <string>
#include <vector>

#include "model/confirmation.h"

namespace photofinish {

const Confirmation* find_confirmation(const std::vector<Confirmation>& all, std::uint64_t key);

// "predicted" (null), "confirmed, harmful", "confirmed, same outcome seen", "not reproduced in 6
// runs".
std::string state_text(const Confirmation* confirmation);
// The outcome of each order, how the outcomes differ, and how to reproduce each. `run`: the user's
// name of the run.
std::string confirmation_lines(const Confirmation& confirmation, std::size_t number,
                               const std::string& run);

}  // namespace photofinish
