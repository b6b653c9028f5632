// The memory of the libraries that live in the user's process: one region of addresses, apart from
// the program's heap, so that the tool neither moves the program's blocks nor minds what the
// program does to its heap.
//
// Rule: blocks come in sizes that are eighths of powers of two; freed ones wait in a list for their
// size, small ones in one of the thread that freed them. Each block has 16 bytes in front of it
// that say which size it is. The region is reserved when the first block is asked for, and becomes
// readable and writable as it is used. Bound: the region's size. Beyond it, and where the system
// has no more memory, there is none. Thread-safe; a forked child starts with empty lists. Not for
// signal handlers.
#pragma once

#include <cstddef>

namespace photofinish::arena {

inline constexpr std::size_t kAlignment = 16;

// Null: there is no memory. Of 0 bytes there are blocks, too.
void* allocate(std::size_t bytes, std::size_t alignment = kAlignment) noexcept;
void* resize(void* block, std::size_t bytes) noexcept;
// Of a block, or null.
void release(void* block) noexcept;
// Whether the system had addresses for it; false before the first block was asked for.
bool exists() noexcept;
// Whether it is a block of this arena.
bool owns(const void* block) noexcept;
// What has been made usable of the region: it only grows.
std::size_t used() noexcept;

}  // namespace photofinish::arena
