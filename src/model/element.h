// Element types of accumulates. Types with the same representation are one element type.
#pragma once

#include <cstdint>

namespace photofinish {

enum class ElementKind : std::uint8_t {
  None,
  Integer,
  Unsigned,
  Floating,
  Complex,
  Logical,
  Pair,
  Byte,
  Character
};

struct Element {
  ElementKind kind = ElementKind::None;
  std::uint8_t size = 0;
  bool operator==(const Element&) const = default;
};

enum class ReduceOp : std::uint8_t {
  None,
  Max,
  Min,
  Sum,
  Prod,
  LogicalAnd,
  BitAnd,
  LogicalOr,
  BitOr,
  LogicalXor,
  BitXor,
  MaxLoc,
  MinLoc,
  Replace,
  NoOp,
  CompareAndSwap
};

}  // namespace photofinish
