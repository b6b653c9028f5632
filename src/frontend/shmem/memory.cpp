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

void add_block(Context& c, void* block, std::size_t bytes) {
  if (block == nullptr || bytes == 0) return;
  SymmetricMemory::get().allocated(c.task, block, bytes);
  set_block(c, block);
}

// Without bytes there is no allocation, and no synchronization.
template <class Made>
void* allocate(Call family, CallSite call_site, std::size_t bytes, Made made) {
  Interception call(family, call_site);
  void* block = nullptr;
  const auto make = [&] { block = made(); };
  const auto answer = [&] { call.exchange_address(block); };
  if (bytes == 0) return call.querying(make, answer), block;
  const auto size = [&](Context& c) {
    c.event.fields.set(Field::size, static_cast<std::int64_t>(bytes));
  };
  call.waiting(size, make, answer, [&](Context& c) { add_block(c, block, bytes); });
  return block;
}

template <class Made>
void release(CallSite call_site, void* block, Made made) {
  Interception call(ShmemCall::shmem_free, call_site);
  if (block == nullptr) return call.querying(made, kNothing);
  call.waiting(
      [&](Context& c) {
        set_block(c, block);
        const std::size_t bytes = SymmetricMemory::get().freed(block);
        c.event.fields.set(Field::size, static_cast<std::int64_t>(bytes));
        add_buffer(c, BufferUse::Write, block, static_cast<std::int64_t>(bytes));
      },
      made);
}

template <class Made>
void* reallocate(CallSite call_site, void* block, std::size_t bytes, Made made) {
  Interception call(ShmemCall::shmem_realloc, call_site);
  void* moved = nullptr;
  const auto make = [&] { moved = made(); };
  const auto answer = [&] { call.exchange_address(moved); };
  if (block == nullptr && bytes == 0) return call.querying(make, answer), moved;
  call.waiting(
      [&](Context& c) {
        c.event.fields.set(Field::size, static_cast<std::int64_t>(bytes));
        const std::size_t old = block != nullptr ? SymmetricMemory::get().freed(block) : 0;
        add_buffer(c, BufferUse::Write, block, static_cast<std::int64_t>(old));
      },
      make, answer, [&](Context& c) { add_block(c, moved, bytes); });
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
  void* here = nullptr;
  bool found = false;
  call.querying([&] { here = SHMEM_REAL(shmem_ptr)(symmetric, pe); },
                [&] {
                  call.exchange_address(here);
                  found = here != nullptr && here != symmetric;
                },
                found,
                [&](Context& c) {
                  SymmetricMemory::get().mapped(c.task, symmetric, pe, here);
                  add_target(c, BufferUse::TargetRead, symmetric, pe, 0, TypeId(0));
                });
  return here;
}

}  // namespace photofinish::shmem
