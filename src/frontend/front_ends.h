// The front ends of a recorded run, for analyses that do not run inside the program.
#pragma once

#include <memory>

#include "effects/meaning.h"

namespace photofinish {

// The meaning of the calls in the trace of the Timeline's rank. MPI is the only front end so far.
std::unique_ptr<Meaning> meaning_of(Timeline& effects);

}  // namespace photofinish
