// Answers a problem with z3. Also the interface of the plugin photofinish-z3: z3 is large, and only
// photofinish group needs it, so it is loaded on demand.
#pragma once

#include "base/result.h"
#include "group/problem.h"

namespace photofinish::group {

// Built only if z3 is available.
Answer solve_with_z3(const Problem& problem, double seconds);

inline constexpr const char* kZ3Plugin = "photofinish-z3.so";
inline constexpr const char* kZ3Entry = "photofinish_solve_1";  // changes with Problem and Answer
using Z3Entry = void(const Problem* problem, double seconds, Answer* answer);

// Loads the plugin. An Error if this photofinish was built without z3, or z3 is not installed.
Result<Solver> load_z3();

}  // namespace photofinish::group
