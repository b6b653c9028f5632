// An error value for invalid input: one line that says what is wrong and what to do.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace photofinish {

struct Error {
  std::string message;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() {
    CHECK(state_.index() == 0);
    return std::get<0>(state_);
  }
  const T& operator*() const {
    CHECK(state_.index() == 0);
    return std::get<0>(state_);
  }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace photofinish
