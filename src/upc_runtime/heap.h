// Shared memory that is allocated at run time.
#pragma once

#include <cstdint>

#include "upc_runtime/pointers.h"

namespace photofinish::upc {

// Offsets below are the heaps' own.
constexpr std::uint64_t kFirstOffset = 16384;

// The global heap has the same offset in all segments; the local heap is each thread's. `first` is
// the end of the statics. Returns the size of a segment.
std::uint64_t place_heaps(std::uint64_t first);
void open_heaps();

// The heaps of a segment: [global, local) and [local, end).
struct HeapBounds {
  std::uint64_t global, local, end;
};
HeapBounds heap_bounds();

// Null if there is no memory.
Position allocate_local(std::uint64_t bytes);
void release(const Position& memory);

}  // namespace photofinish::upc
