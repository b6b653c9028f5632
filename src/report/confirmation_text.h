// The state of a finding in words.
#pragma once

#include <string>
#include <vector>

#include "model/confirmation.h"

namespace photofinish {

const Confirmation* find_confirmation(const std::vector<Confirmation>& all, std::uint64_t key);

// "predicted" (null), "confirmed, harmful", "confirmed, same outcome seen", "not reproduced in 6
// runs".
std::string state_text(const Confirmation* confirmation);
// What each order led to, how they differ, and how to see each again. `run` is what the user calls
// the run.
std::string confirmation_lines(const Confirmation& confirmation, std::size_t number,
                               const std::string& run);

}  // namespace photofinish
