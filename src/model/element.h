// What an accumulate computes with. Two predefined types with the same representation are one
// element: MPI_LONG and MPI_INT64_T are both an eight-byte integer, whatever the language calls
// them.
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

// By the name of a predefined type, as TypeDefinition::element has it. None for what is not known.
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

// By the name in OpDefinition. None for one of the program's own.
ReduceOp reduce_op_of(std::string_view name);

}  // namespace photofinish
