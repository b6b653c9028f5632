// The hooks that -fsanitize=thread calls for loads, stores and atomic operations. Each is called
// by the program itself: its return address is the access site.
#pragma once

#include "compiler/gcc/tsan/sites.h"

namespace photofinish::gcc {

[[gnu::always_inline]] constexpr std::uint64_t with_unit(std::uint64_t bytes, std::uint64_t unit) {
  return bytes | static_cast<std::uint64_t>(__builtin_ctzll(unit)) << PHOTOFINISH_UNIT_BITS;
}

[[gnu::always_inline]] inline bool is_marked(const void* address) {
  return state.gate[(reinterpret_cast<std::uint64_t>(address) >> PHOTOFINISH_PAGE_BITS) %
                    PHOTOFINISH_GATE_SIZE] != 0;
}

}  // namespace photofinish::gcc

#define LOCATION __builtin_return_address(0)

FUNCTION void __photofinish_gcc_reached_1(const void* address, std::uint64_t bytes,
                                          const void* location) {
  report(photofinish::gcc::key_of(location), address, bytes, true);
}
// The same for any number of bytes.
FUNCTION void __photofinish_gcc_bytes_1(const void* address, std::uint64_t bytes,
                                        const void* location) {
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(address),
                      size = PHOTOFINISH_BYTES(bytes);
  if (size == 0 || state.high == 0 || !is_marked(begin, begin + size)) return;
  report(photofinish::gcc::key_of(location), address, bytes, false);
}

#define ACCESS(name, bytes, unit, flags)                                                       \
  FUNCTION void __tsan_##name(const void* address) {                                           \
    if (photofinish::gcc::is_marked(address)) [[unlikely]]                                     \
      __photofinish_gcc_reached_1(address, photofinish::gcc::with_unit(bytes, unit) | (flags), \
                                  LOCATION);                                                   \
  }
#define ACCESSES(bytes)                                           \
  ACCESS(read##bytes, bytes, bytes, 0)                            \
  ACCESS(write##bytes, bytes, bytes, PHOTOFINISH_WRITES)          \
  ACCESS(volatile_read##bytes, bytes, bytes, 0)                   \
  ACCESS(volatile_write##bytes, bytes, bytes, PHOTOFINISH_WRITES) \
  ACCESS(unaligned_read##bytes, bytes, 1, 0)                      \
  ACCESS(unaligned_write##bytes, bytes, 1, PHOTOFINISH_WRITES)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
ACCESS(vptr_read, sizeof(void*), sizeof(void*), 0)

FUNCTION void __tsan_vptr_update(const void* address, const void*) {
  if (photofinish::gcc::is_marked(address)) [[unlikely]]
    __photofinish_gcc_reached_1(
        address, photofinish::gcc::with_unit(sizeof(void*), sizeof(void*)) | PHOTOFINISH_WRITES,
        LOCATION);
}
FUNCTION void __tsan_read_range(const void* address, std::uint64_t bytes) {
  __photofinish_gcc_bytes_1(address, bytes, LOCATION);
}
FUNCTION void __tsan_write_range(const void* address, std::uint64_t bytes) {
  __photofinish_gcc_bytes_1(address, bytes | PHOTOFINISH_WRITES, LOCATION);
}

FUNCTION void __tsan_init() {}
FUNCTION void __tsan_func_entry(const void*) {}
FUNCTION void __tsan_func_exit() {}

// Atomic operations. All are made sequentially consistent, whatever order the program asks for: the
// detector knows the order that it asked for.
namespace photofinish::gcc {

[[gnu::always_inline]] inline bool releases(int order) {
  order &= 0xff;
  return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}
[[gnu::always_inline]] inline bool acquires(int order) {
  order &= 0xff;
  return order == __ATOMIC_CONSUME || order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
         order == __ATOMIC_SEQ_CST;
}
[[gnu::always_inline]] inline void synchronize(const volatile void* address, std::uint64_t how) {
  if (state.synchronize != nullptr) [[unlikely]]
    state.synchronize(const_cast<const void*>(address), how);
}

template <class Operation>
[[gnu::always_inline]] inline auto ordered(const volatile void* at, bool release, bool acquire,
                                           Operation operation) {
  if (release) synchronize(at, PHOTOFINISH_RELEASE);
  if (state.atomic != nullptr) [[unlikely]]
    state.atomic(1);
  const auto result = operation();
  if (state.atomic != nullptr) [[unlikely]]
    state.atomic(0);
  if (acquire) synchronize(at, PHOTOFINISH_ACQUIRE);
  return result;
}

template <std::uint64_t bytes, class Operation>
[[gnu::always_inline]] inline auto atomic(const volatile void* at, bool writes, bool release,
                                          bool acquire, const void* location, Operation operation) {
  const void* const address = const_cast<const void*>(at);
  if (is_marked(address)) [[unlikely]]
    __photofinish_gcc_reached_1(
        address, with_unit(bytes, bytes) | (writes ? PHOTOFINISH_WRITES : 0), location);
  return ordered(at, release, acquire, operation);
}

}  // namespace photofinish::gcc

#define SEQ_CST __ATOMIC_SEQ_CST
#define ATOMIC_UPDATE(bits, type, name, operation)                                                \
  FUNCTION type __tsan_atomic##bits##_##name(volatile type* at, type value, int order) {          \
    return photofinish::gcc::atomic<sizeof(type)>(at, true, photofinish::gcc::releases(order),    \
                                                  photofinish::gcc::acquires(order), LOCATION,    \
                                                  [&] { return operation(at, value, SEQ_CST); }); \
  }
#define ATOMIC_COMPARE(bits, type, name)                                                          \
  FUNCTION int __tsan_atomic##bits##_compare_exchange_##name(volatile type* at, type* expected,   \
                                                             type value, int order, int) {        \
    return photofinish::gcc::atomic<sizeof(type)>(                                                \
        at, true, photofinish::gcc::releases(order), photofinish::gcc::acquires(order), LOCATION, \
        [&] {                                                                                     \
          return __atomic_compare_exchange_n(at, expected, value, false, SEQ_CST, SEQ_CST) ? 1    \
                                                                                           : 0;   \
        });                                                                                       \
  }
#define ATOMICS(bits, type)                                                                      \
  FUNCTION type __tsan_atomic##bits##_load(const volatile type* at, int order) {                 \
    return photofinish::gcc::atomic<sizeof(type)>(at, false, false,                              \
                                                  photofinish::gcc::acquires(order), LOCATION,   \
                                                  [&] { return __atomic_load_n(at, SEQ_CST); }); \
  }                                                                                              \
  FUNCTION void __tsan_atomic##bits##_store(volatile type* at, type value, int order) {          \
    photofinish::gcc::atomic<sizeof(type)>(                                                      \
        at, true, photofinish::gcc::releases(order), false, LOCATION,                            \
        [&] { return __atomic_store_n(at, value, SEQ_CST), 0; });                                \
  }                                                                                              \
  ATOMIC_UPDATE(bits, type, exchange, __atomic_exchange_n)                                       \
  ATOMIC_UPDATE(bits, type, fetch_add, __atomic_fetch_add)                                       \
  ATOMIC_UPDATE(bits, type, fetch_sub, __atomic_fetch_sub)                                       \
  ATOMIC_UPDATE(bits, type, fetch_and, __atomic_fetch_and)                                       \
  ATOMIC_UPDATE(bits, type, fetch_or, __atomic_fetch_or)                                         \
  ATOMIC_UPDATE(bits, type, fetch_xor, __atomic_fetch_xor)                                       \
  ATOMIC_UPDATE(bits, type, fetch_nand, __atomic_fetch_nand)                                     \
  ATOMIC_COMPARE(bits, type, strong)                                                             \
  ATOMIC_COMPARE(bits, type, weak)
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)
__extension__ typedef unsigned __int128 Wide;
ATOMICS(128, Wide)

FUNCTION void __tsan_atomic_thread_fence(int order) {
  if (photofinish::gcc::releases(order))
    photofinish::gcc::synchronize(nullptr, PHOTOFINISH_RELEASE);
  __atomic_thread_fence(SEQ_CST);
  if (photofinish::gcc::acquires(order))
    photofinish::gcc::synchronize(nullptr, PHOTOFINISH_ACQUIRE);
}
FUNCTION void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(SEQ_CST); }
