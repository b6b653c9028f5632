// An exception of ours from a callback to its caller, past a function of libc's in between: libc's
// frames are not for our unwinder (the C++ runtime in the preload libraries is their own).
#pragma once

#include <exception>

namespace photofinish {

class Carried {
 public:
  // What the callback returns, or `stop` if it threw.
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
