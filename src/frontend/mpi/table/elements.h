// The element types and operations of MPI, by name. Predefined types with the same representation
// are one element type: MPI_LONG and MPI_INT64_T are both eight-byte integers.
#pragma once

#include <string_view>

#include "model/element.h"

namespace photofinish {

// `name`: a predefined type, as in TypeDefinition::element. None if unknown.
Element element_of(std::string_view name);
// `name`: as in OpDefinition. None for a user-defined operation.
ReduceOp reduce_op_of(std::string_view name);

}  // namespace photofinish
