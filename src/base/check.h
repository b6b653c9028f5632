// CHECK states what must hold in our own code. It stays on in release: a wrong verdict costs more than a stop.
// Not for bad input (that is a Result), and not inside a user's process on the hot path.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace photofinish {

[[noreturn, gnu::cold, gnu::noinline]] inline void check_failed(const char* condition,
                                                                const char* file, int line) {
  std::fprintf(stderr,
               "photofinish: internal error: %s does not hold (%s:%d); please report this\n",
               condition, file, line);
  std::abort();
}

}  // namespace photofinish

#define CHECK(condition)                                           \
  do {                                                             \
    if (!(condition)) [[unlikely]]                                 \
      ::photofinish::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
