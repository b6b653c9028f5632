#include "frontend/mpi/table/elements.h"

#include <unordered_map>

namespace photofinish {

Element element_of(std::string_view name) {
  using enum ElementKind;
  // Sizes for 64-bit Unix, the only supported platform.
  static const auto* const elements = new std::unordered_map<std::string_view, Element>{
      {"MPI_SIGNED_CHAR", {Integer, 1}},
      {"MPI_SHORT", {Integer, 2}},
      {"MPI_INT", {Integer, 4}},
      {"MPI_LONG", {Integer, 8}},
      {"MPI_LONG_LONG", {Integer, 8}},
      {"MPI_LONG_LONG_INT", {Integer, 8}},
      {"MPI_INT8_T", {Integer, 1}},
      {"MPI_INT16_T", {Integer, 2}},
      {"MPI_INT32_T", {Integer, 4}},
      {"MPI_INT64_T", {Integer, 8}},
      {"MPI_INTEGER", {Integer, 4}},
      {"MPI_INTEGER1", {Integer, 1}},
      {"MPI_INTEGER2", {Integer, 2}},
      {"MPI_INTEGER4", {Integer, 4}},
      {"MPI_INTEGER8", {Integer, 8}},
      {"MPI_AINT", {Integer, 8}},
      {"MPI_OFFSET", {Integer, 8}},
      {"MPI_COUNT", {Integer, 8}},
      {"MPI_UNSIGNED_CHAR", {Unsigned, 1}},
      {"MPI_UNSIGNED_SHORT", {Unsigned, 2}},
      {"MPI_UNSIGNED", {Unsigned, 4}},
      {"MPI_UNSIGNED_LONG", {Unsigned, 8}},
      {"MPI_UNSIGNED_LONG_LONG", {Unsigned, 8}},
      {"MPI_UINT8_T", {Unsigned, 1}},
      {"MPI_UINT16_T", {Unsigned, 2}},
      {"MPI_UINT32_T", {Unsigned, 4}},
      {"MPI_UINT64_T", {Unsigned, 8}},
      {"MPI_FLOAT", {Floating, 4}},
      {"MPI_DOUBLE", {Floating, 8}},
      {"MPI_LONG_DOUBLE", {Floating, 16}},
      {"MPI_REAL", {Floating, 4}},
      {"MPI_DOUBLE_PRECISION", {Floating, 8}},
      {"MPI_REAL2", {Floating, 2}},
      {"MPI_REAL4", {Floating, 4}},
      {"MPI_REAL8", {Floating, 8}},
      {"MPI_REAL16", {Floating, 16}},
      {"MPI_COMPLEX", {Complex, 8}},
      {"MPI_DOUBLE_COMPLEX", {Complex, 16}},
      {"MPI_C_COMPLEX", {Complex, 8}},
      {"MPI_C_FLOAT_COMPLEX", {Complex, 8}},
      {"MPI_C_DOUBLE_COMPLEX", {Complex, 16}},
      {"MPI_C_LONG_DOUBLE_COMPLEX", {Complex, 32}},
      {"MPI_CXX_FLOAT_COMPLEX", {Complex, 8}},
      {"MPI_CXX_DOUBLE_COMPLEX", {Complex, 16}},
      {"MPI_CXX_LONG_DOUBLE_COMPLEX", {Complex, 32}},
      {"MPI_COMPLEX4", {Complex, 4}},
      {"MPI_COMPLEX8", {Complex, 8}},
      {"MPI_COMPLEX16", {Complex, 16}},
      {"MPI_COMPLEX32", {Complex, 32}},
      {"MPI_LOGICAL", {Logical, 4}},
      {"MPI_C_BOOL", {Logical, 1}},
      {"MPI_CXX_BOOL", {Logical, 1}},
      {"MPI_LOGICAL1", {Logical, 1}},
      {"MPI_LOGICAL2", {Logical, 2}},
      {"MPI_LOGICAL4", {Logical, 4}},
      {"MPI_LOGICAL8", {Logical, 8}},
      {"MPI_FLOAT_INT", {Pair, 8}},
      {"MPI_DOUBLE_INT", {Pair, 16}},
      {"MPI_LONG_INT", {Pair, 15}},
      {"MPI_2INT", {Pair, 9}},
      {"MPI_SHORT_INT", {Pair, 7}},
      {"MPI_LONG_DOUBLE_INT", {Pair, 32}},
      {"MPI_2REAL", {Pair, 10}},
      {"MPI_2DOUBLE_PRECISION", {Pair, 17}},
      {"MPI_2INTEGER", {Pair, 9}},
      {"MPI_BYTE", {Byte, 1}},
      {"MPI_PACKED", {Byte, 1}},
      {"MPI_CHAR", {Character, 1}},
      {"MPI_CHARACTER", {Character, 1}},
      {"MPI_WCHAR", {Character, 4}},
  };
  const auto found = elements->find(name);
  return found != elements->end() ? found->second : Element{};
}

ReduceOp reduce_op_of(std::string_view name) {
  static const auto* const ops = new std::unordered_map<std::string_view, ReduceOp>{
      {"MPI_MAX", ReduceOp::Max},         {"MPI_MIN", ReduceOp::Min},
      {"MPI_SUM", ReduceOp::Sum},         {"MPI_PROD", ReduceOp::Prod},
      {"MPI_LAND", ReduceOp::LogicalAnd}, {"MPI_BAND", ReduceOp::BitAnd},
      {"MPI_LOR", ReduceOp::LogicalOr},   {"MPI_BOR", ReduceOp::BitOr},
      {"MPI_LXOR", ReduceOp::LogicalXor}, {"MPI_BXOR", ReduceOp::BitXor},
      {"MPI_MAXLOC", ReduceOp::MaxLoc},   {"MPI_MINLOC", ReduceOp::MinLoc},
      {"MPI_REPLACE", ReduceOp::Replace}, {"MPI_NO_OP", ReduceOp::NoOp},
  };
  const auto found = ops->find(name);
  return found != ops->end() ? found->second : ReduceOp::None;
}

}  // namespace photofinish
