// Pointers to shared memory, as the program passes them: layout.h.
#pragma once

#include <cstdint>

#include "upc_runtime/layout.h"

namespace photofinish::upc {

__extension__ typedef unsigned __int128 Generic;  // shared void *: the upper 8 bits are undefined
using Typed = std::uint64_t;                      // shared [b] T *

struct Position {
  std::uint64_t thread = 0;
  std::uint64_t offset = 0;  // in the thread's segment
  std::uint64_t phase = 0;   // bytes

  bool is_null() const { return offset == 0; }
};

Position position_of(Generic pointer);
Position position_of(Typed pointer, std::uint64_t block);
Generic generic_pointer(const Position& position);
// Ends the program if the skew cannot be stored.
Typed typed_pointer(const Position& position, std::uint64_t block);

// A pointer to shared [] T.
inline Position position_of_indefinite(Typed pointer) { return position_of(pointer, 0); }

}  // namespace photofinish::upc
