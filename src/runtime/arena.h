// The heap of the libraries in the user's process: one address region, separate from the program's
// heap. So the tool does not move the program's blocks, and heap errors of the program do not
// affect the tool.
//
// Size classes are eighths of powers of two. Freed blocks are in a list per size class; small ones
// in a list per thread. A header of 16 bytes before each block holds its size class. The region is
// reserved with the first allocation, and made accessible as it is used. Limit: allocation fails if
// the region is full, or the system has no memory. Thread-safe; a forked child starts with empty
// lists. Not async-signal-safe.
#pragma once

#include <cstddef>

namespace photofinish::arena {

inline constexpr std::size_t kAlignment = 16;

// Null: out of memory. 0 bytes return a block, too.
void* allocate(std::size_t bytes, std::size_t alignment = kAlignment) noexcept;
void* resize(void* block, std::size_t bytes) noexcept;
// Accepts null.
void release(void* block) noexcept;
// Whether the region was reserved; false before the first allocation.
bool exists() noexcept;
// Whether the block is from this arena.
bool owns(const void* block) noexcept;
// Bytes made usable so far; never decreases.
std::size_t used() noexcept;

}  // namespace photofinish::arena
