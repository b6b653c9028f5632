// Library calls that access memory of the caller: assemble.awk makes the program call these
// functions instead, and appends those that an object uses.
//
// The functions that are called have up to eight parameters, all of them numbers or pointers.
// __photofinish_real_NAME is the function itself: assemble.awk replaces this symbol by its name.
// -mgeneral-regs-only keeps the floating-point results that some of them return.
// Limit: functions with a variable number of parameters, as sprintf.
#pragma once

#include <cstddef>

#include "compiler/gcc/tsan/accesses.h"

// Memory of a library call. `how` as in __photofinish_gcc_call_1.
FUNCTION void __photofinish_gcc_touch_1(const void* address, std::uint64_t how, std::uint64_t a,
                                        std::uint64_t b, std::uint64_t c, std::uint64_t key) {
  using namespace photofinish::gcc;
  const std::uint64_t flags = how & (PHOTOFINISH_WRITES | PHOTOFINISH_RELEASES);
  const auto* begin = static_cast<const char*>(address);
  if (begin == nullptr) return;
  if ((how & PHOTOFINISH_RELEASES) != 0) return report(key, begin, a | flags, false);
  const auto kind = static_cast<Extent::Kind>(how & 0xff);
  if (kind != Extent::Array && kind != Extent::ArrayThen) {
    if (reinterpret_cast<std::uint64_t>(begin) >= state.high) return;
    if ((how & kBehindString) != 0) begin += common(begin, begin, ~std::uint64_t{0}) - 1;
    const std::uint64_t at = reinterpret_cast<std::uint64_t>(begin),
                        bytes = bytes_of(how, begin, a, b, c);
    if (bytes != 0 && ::is_marked(at, at + bytes)) report(key, begin, bytes | flags, false);
    return;
  }
  const auto& array = *static_cast<const Descriptor*>(address);
  if (array.address == nullptr) return;
  const Piece piece = piece_of(array);
  for (std::uint64_t plane = 0; plane < piece.planes; ++plane)
    for (std::uint64_t row = 0; row < piece.rows; ++row) {
      const std::uint64_t at = reinterpret_cast<std::uint64_t>(array.address) +
                               plane * static_cast<std::uint64_t>(piece.plane_stride) +
                               row * static_cast<std::uint64_t>(piece.stride);
      if (piece.bytes != 0 && ::is_marked(at, at + piece.bytes))
        report(key, reinterpret_cast<const void*>(at), piece.bytes | flags, false);
    }
}

namespace photofinish::gcc {

using Word = std::uint64_t;
using Called = Word (*)(Word, Word, Word, Word, Word, Word, Word, Word);

template <const Touch (&touches)[3], unsigned index, bool after>
[[gnu::always_inline]] inline void touch(const Word (&arguments)[8], Word result,
                                         const void* location) {
  constexpr Touch one = touches[index];
  constexpr bool frees = one.use == Use::Free || one.use == Use::FreeBytes;
  if constexpr (one.comes_after() == after && one.use != Use::Nothing && one.use != Use::CallBack) {
    constexpr Touch::Numbers numbers = one.extent;
    const auto value = [&](int number) -> Word {
      if (number == kNone) return 0;
      if (number == kResult) return result;
      if (number == kOne) return 1;
      return number >= kExactly ? static_cast<Word>(number - kExactly) : arguments[number];
    };
    constexpr Word how =
        (one.use == Use::Write || one.use == Use::WriteBehind ? PHOTOFINISH_WRITES : 0) |
        (frees ? PHOTOFINISH_RELEASES : 0) | (one.use == Use::WriteBehind ? kBehindString : 0) |
        (numbers.b != kNone ? kHasB : 0) | (numbers.c != kNone ? kHasC : 0) | numbers.kind;
    // An int, whose upper half is undefined.
    const Word a = numbers.kind == Extent::Printed && numbers.a == kResult
                       ? static_cast<Word>(static_cast<int>(result))
                       : value(numbers.a);
    __photofinish_gcc_touch_1(reinterpret_cast<const void*>(arguments[one.pointer]), how, a,
                              value(numbers.b), value(numbers.c), key_of(location, index));
  }
}

constexpr bool is_variadic(const Touch (&touches)[3]) {
  for (const Touch& touch : touches)
    if (touch.use == Use::Print || touch.use == Use::Scan) return true;
  return false;
}

template <const Touch (&touches)[3], Called real>
[[gnu::always_inline]] inline Word call(const Word (&arguments)[8], const void* location) {
  if constexpr (is_variadic(touches)) {
    __asm__ volatile("# variadic");  // assemble.awk does not use it
    return 0;
  } else {
    const bool watched = state.high != 0;
    if (watched) [[unlikely]] {
      touch<touches, 0, false>(arguments, 0, location);
      touch<touches, 1, false>(arguments, 0, location);
      touch<touches, 2, false>(arguments, 0, location);
    }
    const Word result = real(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                             arguments[5], arguments[6], arguments[7]);
    if (watched) [[unlikely]] {
      touch<touches, 0, true>(arguments, result, location);
      touch<touches, 1, true>(arguments, result, location);
      touch<touches, 2, true>(arguments, result, location);
    }
    return result;
  }
}

}  // namespace photofinish::gcc

#define FUNCTION_NAMED(result, id, symbol, ...)                                   \
  extern "C" result real_##id(__VA_ARGS__) __asm__("__photofinish_real_" symbol); \
  extern "C" result hook_##id(__VA_ARGS__) __asm__("__photofinish_hook_" symbol); \
  SHARED result hook_##id(__VA_ARGS__)
#define CALL(id, symbol, ...)                                                                     \
  FUNCTION_NAMED(photofinish::gcc::Word, id, symbol, photofinish::gcc::Word a0,                   \
                 photofinish::gcc::Word a1, photofinish::gcc::Word a2, photofinish::gcc::Word a3, \
                 photofinish::gcc::Word a4, photofinish::gcc::Word a5, photofinish::gcc::Word a6, \
                 photofinish::gcc::Word a7) {                                                     \
    using namespace photofinish::gcc;                                                             \
    static constexpr Touch touches[3] = {__VA_ARGS__};                                            \
    return call<touches, real_##id>({a0, a1, a2, a3, a4, a5, a6, a7}, LOCATION);                  \
  }

// What the plugin finds in other ways than by the tables: static variables of functions, and
// sections of OpenMP.
#define SECTION(how) photofinish::gcc::synchronize(nullptr, how)
FUNCTION_NAMED(int, guard_acquire, "__cxa_guard_acquire", void* guard) {
  const int result = real_guard_acquire(guard);
  photofinish::gcc::synchronize(guard, PHOTOFINISH_ACQUIRE);
  return result;
}
FUNCTION_NAMED(void, guard_release, "__cxa_guard_release", void* guard) {
  photofinish::gcc::synchronize(guard, PHOTOFINISH_RELEASE);
  real_guard_release(guard);
}
FUNCTION_NAMED(unsigned, sections_start, "GOMP_sections_start", unsigned count) {
  const unsigned section = real_sections_start(count);
  if (section != 0) SECTION(PHOTOFINISH_SECTION_BEGIN);
  return section;
}
FUNCTION_NAMED(unsigned, sections_next, "GOMP_sections_next") {
  SECTION(PHOTOFINISH_SECTION_END);
  const unsigned section = real_sections_next();
  if (section != 0) SECTION(PHOTOFINISH_SECTION_BEGIN);
  return section;
}
#define SECTIONS_END(id, symbol)      \
  FUNCTION_NAMED(bool, id, symbol) {  \
    SECTION(PHOTOFINISH_SECTION_END); \
    return real_##id();               \
  }
SECTIONS_END(sections_end, "GOMP_sections_end")
SECTIONS_END(sections_end_nowait, "GOMP_sections_end_nowait")
SECTIONS_END(sections_end_cancel, "GOMP_sections_end_cancel")
// Atomic objects of any size. GCC calls its library for them, and no hook.
#define ATOMIC_CALL(writes, release, acquire, real)                                    \
  __photofinish_gcc_bytes_1(at, size | (writes), LOCATION);                            \
  return photofinish::gcc::ordered(at, photofinish::gcc::releases(order) && (release), \
                                   photofinish::gcc::acquires(order) && (acquire),     \
                                   [&] { return real; })
FUNCTION_NAMED(int, atomic_load, "__atomic_load", std::size_t size, void* at, void* to, int order) {
  ATOMIC_CALL(0, false, true, real_atomic_load(size, at, to, order));
}
FUNCTION_NAMED(int, atomic_store, "__atomic_store", std::size_t size, void* at, void* from,
               int order) {
  ATOMIC_CALL(PHOTOFINISH_WRITES, true, false, real_atomic_store(size, at, from, order));
}
FUNCTION_NAMED(int, atomic_exchange, "__atomic_exchange", std::size_t size, void* at, void* from,
               void* to, int order) {
  ATOMIC_CALL(PHOTOFINISH_WRITES, true, true, real_atomic_exchange(size, at, from, to, order));
}
FUNCTION_NAMED(int, atomic_compare, "__atomic_compare_exchange", std::size_t size, void* at,
               void* expected, void* wanted, int order, int failed) {
  ATOMIC_CALL(PHOTOFINISH_WRITES, true, true,
              real_atomic_compare(size, at, expected, wanted, order, failed));
}
#define DELETE(symbol) CALL(symbol, #symbol, {photofinish::gcc::Use::Free, 0, {}})
DELETE(_ZdlPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPv)
DELETE(_ZdaPvm)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
