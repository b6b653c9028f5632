// Where pointers to shared memory lead: for the runtime, and for the tool's front end.
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

inline Position position_of(Generic pointer) {
  constexpr Generic kThreadMask = (1u << (kGenericBits - kThreadShift)) - 1;
  return {.thread = static_cast<std::uint64_t>((pointer >> kThreadShift) & kThreadMask),
          .offset = static_cast<std::uint64_t>(pointer) & kOffsetMask,
          .phase = static_cast<std::uint64_t>(pointer >> kPhaseShift) & kPhaseMask};
}

inline Position position_of(Typed pointer, std::uint64_t block, std::uint64_t threads) {
  const std::uint64_t low = pointer & kLinearMask, high = pointer >> kLinearBits;
  if (block == 0) return {.thread = high, .offset = low};
  const std::uint64_t number = low / block;
  return {.thread = number % threads,
          .offset = number / threads * block + low % block + (high << skew_shift(block)),
          .phase = low % block};
}

// A pointer to shared [] T.
inline Position position_of_indefinite(Typed pointer) { return position_of(pointer, 0, 1); }

}  // namespace photofinish::upc
