// The value that an atomic leaves in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>

#include "model/element.h"

namespace photofinish::testing {

template <class T>
std::optional<std::uint64_t> computed(ReduceOp op, std::uint64_t old_bytes,
                                      std::uint64_t operand_bytes) {
  T old{}, operand{}, made{};
  std::memcpy(&old, &old_bytes, sizeof(T));
  std::memcpy(&operand, &operand_bytes, sizeof(T));
  switch (op) {
    case ReduceOp::Max:
      made = std::max(old, operand);
      break;
    case ReduceOp::Min:
      made = std::min(old, operand);
      break;
    case ReduceOp::Sum:
      made = static_cast<T>(old + operand);
      break;
    case ReduceOp::Prod:
      made = static_cast<T>(old * operand);
      break;
    case ReduceOp::LogicalAnd:
      made = static_cast<T>(old && operand);
      break;
    case ReduceOp::LogicalOr:
      made = static_cast<T>(old || operand);
      break;
    case ReduceOp::LogicalXor:
      made = static_cast<T>(!old != !operand);
      break;
    default:
      if constexpr (std::is_integral_v<T>) {
        if (op == ReduceOp::BitAnd)
          made = old & operand;
        else if (op == ReduceOp::BitOr)
          made = old | operand;
        else if (op == ReduceOp::BitXor)
          made = old ^ operand;
        else
          return {};
      } else {
        return {};
      }
  }
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, &made, sizeof(T));
  return bytes;
}

// The bytes of the element afterwards; nothing if they cannot be computed. A compare-and-swap is
// one that succeeded. Integers wrap around, as in every MPI library.
inline std::optional<std::uint64_t> value_after(ReduceOp op, Element element, std::uint64_t old,
                                                std::uint64_t operand) {
  if (op == ReduceOp::Replace || op == ReduceOp::CompareAndSwap) return operand;
  if (op == ReduceOp::NoOp) return old;
  const bool wraps = op == ReduceOp::Sum || op == ReduceOp::Prod;
  if (element.kind == ElementKind::Unsigned || (element.kind == ElementKind::Integer && wraps)) {
    if (element.size == 4) return computed<std::uint32_t>(op, old, operand);
    if (element.size == 8) return computed<std::uint64_t>(op, old, operand);
  } else if (element.kind == ElementKind::Integer) {
    if (element.size == 4) return computed<std::int32_t>(op, old, operand);
    if (element.size == 8) return computed<std::int64_t>(op, old, operand);
  } else if (element.kind == ElementKind::Floating) {
    if (element.size == 4) return computed<float>(op, old, operand);
    if (element.size == 8) return computed<double>(op, old, operand);
  }
  return {};
}

}  // namespace photofinish::testing
