// Carries an exception from a callback to its caller past a libc function in between. The unwinder
// must not cross libc frames, because the preload libraries have their own C++ runtime.
#pragma once

#include <exception>

namespace photofinish {

class Carried {
 public:
  // The result of the callback, or `stop` if it threw.
  template <class Callback, class Result>
  Result run(Callback callback, Result stop) noexcept {
    try {
      return callback();
    } catch (const std::exception&) {
      thrown_ = std::current_exception();
      return stop;
    }
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  std::exception_ptr thrown_;
};

}  // namespace photofinish
