// Shared variables of the program: a table for each file, which the pass writes
// (compiler/upc/statics.cpp).
#pragma once

#include <cstdint>

namespace photofinish::upc {

struct Static {
  const char* name;
  std::uint64_t* address;  // receives its typed pointer
  const void* image;       // initial value, or null for zeros
  std::uint64_t bytes;     // for one thread, if it is scaled
  std::uint64_t block;     // bytes; 0: indefinite
  std::uint64_t element;   // bytes
  std::uint64_t scaled;    // its size is a multiple of THREADS
};
static_assert(sizeof(Static) == 56, "as in compiler/upc/statics.cpp");

// Bytes that the shared variables need in each segment, from `offset` on.
std::uint64_t place_statics(std::uint64_t offset);
// Each thread initializes its own part.
void initialize_statics();
// Pointers that are initialized with addresses of shared variables.
void initialize_addresses();
// Ends the program if a file was compiled for another number of threads.
void check_static_threads();

}  // namespace photofinish::upc
