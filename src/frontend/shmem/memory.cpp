// The symmetric heap, and pointers to another PE's memory.
#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

void set_block(Context& c, const void* block) {
  c.event.fields.set(Field::address,
                     static_cast<std::int64_t>(reinterpret_cast<std::uint64_t>(block)));
  c.event.fields.set(Field::win, SymmetricMemory::get().find(block).region);
}

void enter_allocation(Interception& call, std::size_t bytes) {
  if (bytes == 0) return;  // no allocation, and no synchronization
  call.enter(
      [&](Context& c) { c.event.fields.set(Field::size, static_cast<std::int64_t>(bytes)); });
}

void leave_allocation(Interception& call, std::size_t bytes, const void* block) {
  if (bytes == 0) return;
  call.leave([&](Context& c) {
    if (block == nullptr) return;
    SymmetricMemory::get().allocated(block, bytes);
    set_block(c, block);
  });
}

template <class Made>
void* allocate(Call family, CallSite call_site, std::size_t bytes, Made made) {
  Interception call(family, call_site);
  enter_allocation(call, bytes);
  void* const block = made();
  leave_allocation(call, bytes, block);
  return block;
}

template <class Made>
void release(CallSite call_site, void* block, Made made) {
  Interception call(ShmemCall::shmem_free, call_site);
  if (block == nullptr) return made();
  call.enter([&](Context& c) {
    set_block(c, block);
    const std::size_t bytes = SymmetricMemory::get().freed(block);
    c.event.fields.set(Field::size, static_cast<std::int64_t>(bytes));
    add_buffer(c, BufferUse::Write, block, static_cast<std::int64_t>(bytes));
  });
  made();
  call.leave();
}

template <class Made>
void* reallocate(CallSite call_site, void* block, std::size_t bytes, Made made) {
  Interception call(ShmemCall::shmem_realloc, call_site);
  if (block == nullptr && bytes == 0) return made();
  call.enter([&](Context& c) {
    c.event.fields.set(Field::size, static_cast<std::int64_t>(bytes));
    const std::size_t old = block != nullptr ? SymmetricMemory::get().freed(block) : 0;
    add_buffer(c, BufferUse::Write, block, static_cast<std::int64_t>(old));
  });
  void* const moved = made();
  leave_allocation(call, bytes, moved);
  if (bytes == 0) call.leave();
  return moved;
}

}  // namespace

#define ALLOCATION(symbol, family, bytes, parameters, arguments)   \
  SHMEM_ENTRY void* symbol parameters {                            \
    return allocate(ShmemCall::family, CALL_SITE, bytes,           \
                    [&] { return SHMEM_REAL(symbol) arguments; }); \
  }
ALLOCATION(shmem_malloc, shmem_malloc, size, (std::size_t size), (size))
ALLOCATION(shmalloc, shmem_malloc, size, (std::size_t size), (size))
ALLOCATION(shmem_malloc_with_hints, shmem_malloc, size, (std::size_t size, long hints),
           (size, hints))
ALLOCATION(shmemx_malloc_with_hint, shmem_malloc, size, (std::size_t size, long hint), (size, hint))
ALLOCATION(shmem_calloc, shmem_calloc, count* size, (std::size_t count, std::size_t size),
           (count, size))
ALLOCATION(shmem_align, shmem_align, size, (std::size_t alignment, std::size_t size),
           (alignment, size))
ALLOCATION(shmemalign, shmem_align, size, (std::size_t alignment, std::size_t size),
           (alignment, size))
#undef ALLOCATION

SHMEM_ENTRY void shmem_free(void* block) {
  release(CALL_SITE, block, [&] { SHMEM_REAL(shmem_free)(block); });
}
SHMEM_ENTRY void shfree(void* block) {
  release(CALL_SITE, block, [&] { SHMEM_REAL(shfree)(block); });
}
SHMEM_ENTRY void* shmem_realloc(void* block, std::size_t size) {
  return reallocate(CALL_SITE, block, size, [&] { return SHMEM_REAL(shmem_realloc)(block, size); });
}
SHMEM_ENTRY void* shrealloc(void* block, std::size_t size) {
  return reallocate(CALL_SITE, block, size, [&] { return SHMEM_REAL(shrealloc)(block, size); });
}

SHMEM_ENTRY void* shmem_ptr(const void* symmetric, int pe) {
  Interception call(ShmemCall::shmem_ptr, CALL_SITE);
  void* const here = SHMEM_REAL(shmem_ptr)(symmetric, pe);
  if (here == nullptr || here == symmetric) return here;
  call.append([&](Context& c) {
    SymmetricMemory::get().mapped(symmetric, pe, here);
    add_target(c, BufferUse::TargetRead, symmetric, pe, 0, TypeId(0));
  });
  return here;
}

}  // namespace photofinish::shmem
