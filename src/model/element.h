// Element types of accumulates. Predefined types with the same representation are one element type:
// MPI_LONG and MPI_INT64_T are both eight-byte integers.
#pragma once

#include <cstdint>
#include <string_view>

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

// By the name of a predefined type, as in TypeDefinition::element. None if unknown.
Element element_of(std::string_view name);

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

// By the name in OpDefinition. None for a user-defined one.
ReduceOp reduce_op_of(std::string_view name);

}  // namespace photofinish
