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
  // Of an array's dimensions, then 0; or null. The first is a multiple of THREADS if it is scaled.
  const std::uint64_t* extents;
};
static_assert(sizeof(Static) == 64, "as in compiler/upc/statics.cpp");

// Bytes that the shared variables need in each segment, from `offset` on.
std::uint64_t place_statics(std::uint64_t offset);
// Each thread initializes its own part.
void initialize_statics();
// Pointers that are initialized with addresses of shared variables.
void initialize_addresses();
// Names of heaps for __upc_visit_objects: no variables have them.
inline constexpr const char* kGlobalHeapName = "shared heap";
inline constexpr const char* kLocalHeapName = "shared heap of upc_alloc";
// Calls visit(variable, offset in each segment, bytes there).
using VisitStatic = void (*)(void* context, const Static& variable, std::uint64_t offset,
                             std::uint64_t bytes);
void visit_statics(VisitStatic visit, void* context);
// Ends the program if a file was compiled for another number of threads.
void check_static_threads();

}  // namespace photofinish::upc
