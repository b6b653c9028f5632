// What the four calls mean, as effects.
#pragma once

#include <memory>

#include "effects/meaning.h"

namespace photofinish::made_up {

std::unique_ptr<Meaning> meaning_of(Timeline& effects);

}  // namespace photofinish::made_up
