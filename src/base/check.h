// CHECK states what must hold in our own code. It stays on in release: a wrong verdict costs more than a stop.
// In the tool it is an internal error that ends it. Inside a user's process (g_checks_throw) it is
// an exception: the analysis ends there and the program goes on (runtime/failure.h). So no CHECK in
// a function that is noexcept, or in a destructor. Not for bad input (that is a Result).
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace photofinish {

class CheckFailed final : public std::exception {
 public:
  CheckFailed(const char* condition, const char* file, int line) noexcept {
    std::snprintf(text_, sizeof text_,
                  "internal error: %s does not hold (%s:%d); please report this", condition, file,
                  line);
  }
  const char* what() const noexcept override { return text_; }

 private:
  char text_[400];
};

inline constinit bool g_checks_throw = false;

[[noreturn, gnu::cold, gnu::noinline]] inline void check_failed(const char* condition,
                                                                const char* file, int line) {
  const CheckFailed failure(condition, file, line);
  if (g_checks_throw) throw failure;
  std::fprintf(stderr, "photofinish: %s\n", failure.what());
  std::abort();
}

}  // namespace photofinish

#define CHECK(condition)                                           \
  do {                                                             \
    if (!(condition)) [[unlikely]]                                 \
      ::photofinish::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
