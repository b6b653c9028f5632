// CHECK states an invariant of the tool's own code. It stays enabled in release builds: a wrong
// verdict costs more than an abort. In the tool a violation is an internal error that ends it.
// Inside a user's process (g_checks_throw) it throws: the analysis ends and the program continues
// (runtime/failure.h). So use no CHECK in a noexcept function or in a destructor. Invalid input is
// not for CHECK: use a Result.
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
