// The bytes of an array section, as pieces of equally spaced elements.
//
// Example: the section x(2:8:2, 1:2) of `integer :: x(10, 5)` has two pieces, each of 4 elements of
// 4 bytes with 8 bytes from one to the next, 40 bytes apart.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/caf/abi.h"

namespace photofinish::caf {

struct Piece {
  std::int64_t offset = 0;  // of its first byte
  std::int64_t count = 1, bytes = 0, stride = 0;
};

// From the first element of the section on. `subscripts`: one for each dimension; null: none has a
// vector.
std::vector<Piece> pieces_of(const Descriptor& section, const Subscript* subscripts = nullptr);

// One dimension: so many elements, this far apart; or at these distances.
struct Axis {
  std::int64_t count = 1, stride = 0;
  std::vector<std::int64_t> distances;
};
std::vector<Piece> pieces_of(const std::vector<Axis>& axes, std::int64_t element);

// The value i of a vector subscript.
std::int64_t value_of_vector(const void* values, std::size_t i, int kind);

}  // namespace photofinish::caf
