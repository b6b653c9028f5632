// The calls of the program and of all front ends, in the order of their numbers.
#pragma once

#include <string_view>

#include "frontend/caf/table/caf_call.h"

namespace photofinish {

inline constexpr std::size_t kCallCount = CafCall::kEnd;

// The roles of the call's arguments, separated by commas.
std::string_view argument_roles(Call call);

}  // namespace photofinish
