// Calls that the plugin knows: library functions, and atomic operations.
#pragma once

#include "compiler/gcc/gcc.h"
#include "compiler/gcc/known_calls.h"

namespace photofinish::gcc {

// The assembler name of the function that is called; empty: unknown.
std::string_view name_of(const gimple* call);
// Null: the function is not known, or the program defines it.
const KnownCall* known_call(const gimple* call);

// An atomic operation, or a fence, whose address is null.
struct Atomic {
  tree address = nullptr;
  std::uint64_t bytes = 0;  // 0: none, as for the guard of a local static variable
  bool writes = false;
  bool releases = false, acquires = false;
};
std::optional<Atomic> atomic_of(const gimple* statement);

}  // namespace photofinish::gcc
