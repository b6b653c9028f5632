// Operations of reductions and atomics: as in include/photofinish/upc/upc_types.h.
#pragma once

#include <type_traits>

namespace photofinish::upc {

enum Operation : int {
  kAdd = 1 << 0,
  kMult = 1 << 1,
  kAnd = 1 << 2,
  kOr = 1 << 3,
  kXor = 1 << 4,
  kLogAnd = 1 << 5,
  kLogOr = 1 << 6,
  kMin = 1 << 7,
  kMax = 1 << 8,
  kGet = 1 << 9,
  kSet = 1 << 10,
  kSwap = 1 << 11,  // compare and swap
  kSub = 1 << 12,
  kInc = 1 << 13,
  kDec = 1 << 14,
  kFunction = 1 << 15,
  kOrderedFunction = 1 << 16,
};

// Whether T has this operation with two operands.
template <class T>
bool has_operation(int operation) {
  const int all = kAdd | kMult | kLogAnd | kLogOr | kMin | kMax | kSub;
  return (operation & (std::is_integral_v<T> ? all | kAnd | kOr | kXor : all)) != 0;
}

template <class T>
T combined(int operation, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (operation == kAnd) return static_cast<T>(a & b);
    if (operation == kOr) return static_cast<T>(a | b);
    if (operation == kXor) return static_cast<T>(a ^ b);
  }
  switch (operation) {
    case kMult:
      return static_cast<T>(a * b);
    case kLogAnd:
      return static_cast<T>(a != 0 && b != 0);
    case kLogOr:
      return static_cast<T>(a != 0 || b != 0);
    case kMin:
      return b < a ? b : a;
    case kMax:
      return a < b ? b : a;
    case kSub:
      return static_cast<T>(a - b);
    default:
      return static_cast<T>(a + b);
  }
}

}  // namespace photofinish::upc
