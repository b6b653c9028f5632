// The front ends of a run, for analyses that are not part of one front end.
#pragma once

#include <memory>

#include "effects/meaning.h"

namespace photofinish {

// The meaning of the calls of the Timeline's rank, of all front ends. A program may use several.
std::unique_ptr<Meaning> meaning_of(Timeline& effects);

}  // namespace photofinish
