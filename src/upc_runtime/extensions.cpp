// Ticks, castability, and the extensions of Berkeley UPC.
#include <cstddef>
#include <ctime>

#include "upc_runtime/api.h"
#include "upc_runtime/heap.h"
#include "upc_runtime/segment.h"

extern "C" {
// The last unit that this thread posted or took.
__attribute__((visibility("default"))) std::uint64_t __upc_semaphore_unit = 0;
}

namespace photofinish::upc {
namespace {

constexpr int kBoolean = 1;  // BUPC_SEM_BOOLEAN

// Units are numbered from 1: those up to `posted` have been posted, those up to `taken` are taken.
struct Semaphore {
  std::uint64_t posted, taken, flags;
};

std::uint64_t nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t read(const Position& at) {
  std::uint64_t value = 0;
  atomic_read(&value, at, sizeof value);
  return value;
}

void post(Typed semaphore, std::uint64_t count) {
  const Position at = position_of_indefinite(semaphore);
  const Position taken{at.thread, at.offset + offsetof(Semaphore, taken)};
  std::uint64_t flags = 0;
  get(&flags, {at.thread, at.offset + offsetof(Semaphore, flags)}, sizeof flags);
  complete_all();
  fence();
  if ((flags & kBoolean) == 0) {
    __upc_semaphore_unit = fetch_and_add(at, count) + count;
    return;
  }
  // At most one unit is not taken.
  for (;;) {
    const std::uint64_t before = read(taken);
    __upc_semaphore_unit = before + 1;
    const std::uint64_t found = compare_and_swap(at, before, before + 1, 8);
    if (found == before || found == before + 1) return;
  }
}

bool try_take(Typed semaphore, std::uint64_t count) {
  const Position at = position_of_indefinite(semaphore);
  const Position taken{at.thread, at.offset + offsetof(Semaphore, taken)};
  std::uint64_t before = read(taken);
  while (read(at) >= before + count) {
    const std::uint64_t found = compare_and_swap(taken, before, before + count, 8);
    if (found == before) {
      __upc_semaphore_unit = before + count;
      fence();
      return true;
    }
    before = found;
  }
  return false;
}

void take(Typed semaphore, std::uint64_t count) {
  while (!try_take(semaphore, count)) relax();
}

}  // namespace
}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API std::uint64_t upc_ticks_now() { return nanoseconds(); }
UPC_API std::uint64_t upc_ticks_to_ns(std::uint64_t ticks) { return ticks; }
UPC_API std::uint64_t bupc_ticks_now() { return nanoseconds(); }
UPC_API std::uint64_t bupc_ticks_to_us(std::uint64_t ticks) { return ticks / 1000; }
UPC_API std::uint64_t bupc_ticks_to_ns(std::uint64_t ticks) { return ticks; }
UPC_API void bupc_poll() { relax(); }

UPC_API void* upc_cast(Generic pointer) {
  const Position at = position_of(pointer);
  return at.is_null() || !is_mine(at) ? nullptr : local(at.offset);
}

struct ThreadInfo {
  int guaranteed, probable;
};
// 3: UPC_CASTABLE_ALL.
UPC_API ThreadInfo upc_thread_info(std::size_t thread) {
  return thread == my_thread() ? ThreadInfo{3, 3} : ThreadInfo{0, 0};
}

UPC_API Typed bupc_sem_alloc(int flags) {
  const Position at = allocate_local(sizeof(Semaphore));
  const Semaphore initial{.posted = 0, .taken = 0, .flags = static_cast<std::uint64_t>(flags)};
  if (!at.is_null()) put(at, &initial, sizeof initial);
  fence();
  return typed_pointer(at, 0);
}
UPC_API void bupc_sem_free(Typed semaphore) { release(position_of_indefinite(semaphore)); }
UPC_API void bupc_sem_post(Typed semaphore) { post(semaphore, 1); }
UPC_API void bupc_sem_postN(Typed semaphore, std::size_t count) { post(semaphore, count); }
UPC_API void bupc_sem_wait(Typed semaphore) { take(semaphore, 1); }
UPC_API void bupc_sem_waitN(Typed semaphore, std::size_t count) { take(semaphore, count); }
UPC_API int bupc_sem_try(Typed semaphore) { return try_take(semaphore, 1) ? 1 : 0; }
UPC_API int bupc_sem_tryN(Typed semaphore, std::size_t count) {
  return try_take(semaphore, count) ? 1 : 0;
}
UPC_API void bupc_memput_signal(Generic to, const void* from, std::size_t bytes, Typed semaphore,
                                std::size_t count) {
  put(position_of(to), from, bytes);
  post(semaphore, count);
}
UPC_API void bupc_memput_signal_async(Generic to, const void* from, std::size_t bytes,
                                      Typed semaphore, std::size_t count) {
  bupc_memput_signal(to, from, bytes, semaphore, count);
}
