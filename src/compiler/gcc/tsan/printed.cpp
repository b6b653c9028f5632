// The hooks of sprintf and its variants, like those of calls.h. They are apart because their
// arguments may be floating-point numbers.
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include "compiler/gcc/extent.h"
#include "compiler/gcc/tsan/key.h"
#include "photofinish/runtime_abi.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define PRINT(id, symbol, ...)                                                       \
  extern "C" int print_##id(__VA_ARGS__, ...) __asm__("__photofinish_hook_" symbol); \
  inline HIDDEN __attribute__((used, noinline)) int print_##id(__VA_ARGS__, ...)
#define FORMATTED(printed)                                 \
  va_list arguments;                                       \
  va_start(arguments, format);                             \
  const int result = printed;                              \
  va_end(arguments);                                       \
  if (result < 0) return result;                           \
  touch(text, result, limit, __builtin_return_address(0)); \
  return result

extern "C" {
HIDDEN void __photofinish_gcc_touch_1(const void* address, std::uint64_t how, std::uint64_t a,
                                      std::uint64_t b, std::uint64_t c, std::uint64_t key);
int vsnprintf(char*, std::size_t, const char*, std::va_list);
int vsprintf(char*, const char*, std::va_list);
int __vsprintf_chk(char*, int, std::size_t, const char*, std::va_list);
int __vsnprintf_chk(char*, std::size_t, int, std::size_t, const char*, std::va_list);
}

[[gnu::always_inline]] static inline void touch(const char* text, int printed, std::size_t limit,
                                                const void* location) {
  using namespace photofinish::gcc;
  __photofinish_gcc_touch_1(text, PHOTOFINISH_WRITES | kHasB | Extent::Printed,
                            static_cast<std::uint64_t>(printed), limit, 0, key_of(location));
}

PRINT(sprintf, "sprintf", char* text, const char* format) {
  constexpr std::size_t limit = ~std::size_t{0};
  FORMATTED(vsprintf(text, format, arguments));
}
PRINT(snprintf, "snprintf", char* text, std::size_t limit, const char* format) {
  FORMATTED(vsnprintf(text, limit, format, arguments));
}
PRINT(sprintf_chk, "__sprintf_chk", char* text, int flag, std::size_t limit, const char* format) {
  FORMATTED(__vsprintf_chk(text, flag, limit, format, arguments));
}
PRINT(snprintf_chk, "__snprintf_chk", char* text, std::size_t limit, int flag, std::size_t size,
      const char* format) {
  FORMATTED(__vsnprintf_chk(text, limit, flag, size, format, arguments));
}
