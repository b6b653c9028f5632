// Pointers to shared memory, as the program passes them: layout.h.
#pragma once

#include <cstdint>

#include "upc_runtime/position.h"

namespace photofinish::upc {

Position position_of(Typed pointer, std::uint64_t block);
Generic generic_pointer(const Position& position);
// Ends the program if the skew cannot be stored.
Typed typed_pointer(const Position& position, std::uint64_t block);

}  // namespace photofinish::upc
