// The number of tries of a property. The cases are the same in every run, so that failures are
// reproducible. RC_PARAMS in the environment (such as "max_success=1000000 seed=2") selects others.
#pragma once

#include <cstdlib>

namespace photofinish {

inline const int rapidcheck_parameters =
    setenv("RC_PARAMS", "seed=1 max_success=10000", /*overwrite=*/0);

}  // namespace photofinish
