// Redirects all allocations of a library in the user's process to the arena, including its C++
// runtime and zstd. operator new and delete are defined here and hidden. The linker replaces malloc
// and similar functions by those below (--wrap). Blocks that libc allocated are returned to libc.
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "runtime/arena.h"

namespace arena = photofinish::arena;

extern "C" {
void* __real_malloc(std::size_t bytes);
void __real_free(void* block);
void* __real_realloc(void* block, std::size_t bytes);

void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
}

namespace {

// Falls back to libc if the arena could not be reserved.
void* allocate(std::size_t bytes, std::size_t alignment = arena::kAlignment) noexcept {
  void* const block = arena::allocate(bytes, alignment);
  if (block != nullptr) [[likely]]
    return block;
  if (!arena::exists())
    return alignment <= arena::kAlignment ? __real_malloc(bytes)
                                          : __real_aligned_alloc(alignment, bytes);
  errno = ENOMEM;
  return nullptr;
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment = arena::kAlignment) {
  void* const block = allocate(bytes, alignment);
  if (block == nullptr) [[unlikely]]
    throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  if (block == nullptr) return;
  if (arena::owns(block)) [[likely]]
    return arena::release(block);
  __real_free(block);
}

}  // namespace

extern "C" {
void* __wrap_malloc(std::size_t bytes) { return allocate(bytes); }
void __wrap_free(void* block) { release(block); }
void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return nullptr;
  void* const block = allocate(all);
  if (block != nullptr) std::memset(block, 0, all);
  return block;
}
void* __wrap_realloc(void* block, std::size_t bytes) {
  if (block == nullptr) return allocate(bytes);
  if (!arena::owns(block)) return __real_realloc(block, bytes);
  void* const other = arena::resize(block, bytes);
  if (other == nullptr) errno = ENOMEM;
  return other;
}
void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocate(bytes, alignment);
}
int __wrap_posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  *block = allocate(bytes, alignment);
  return *block == nullptr ? ENOMEM : 0;
}
}

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return allocate_or_throw(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment,
                     const std::nothrow_t&) noexcept {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { release(block); }
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  release(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  release(block);
}
