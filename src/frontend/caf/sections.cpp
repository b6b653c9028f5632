#include "frontend/caf/sections.h"

#include <algorithm>

namespace photofinish::caf {

std::int64_t value_of_vector(const void* values, std::size_t i, int kind) {
  switch (kind) {
    case 1:
      return static_cast<const std::int8_t*>(values)[i];
    case 2:
      return static_cast<const std::int16_t*>(values)[i];
    case 4:
      return static_cast<const std::int32_t*>(values)[i];
    default:
      return static_cast<const std::int64_t*>(values)[i];
  }
}

// Dimensions that continue each other are one. The first that does not makes the elements of a
// piece; of the others, each index makes pieces of its own.
std::vector<Piece> pieces_of(const std::vector<Axis>& axes, std::int64_t element) {
  std::vector<Piece> pieces = {{.offset = 0, .count = 1, .bytes = element, .stride = element}};
  const auto repeat = [&](std::int64_t count, auto distance_of) {
    const std::vector<Piece> one = std::move(pieces);
    pieces.clear();
    for (std::int64_t i = 0; i < count; ++i)
      for (Piece piece : one) {
        piece.offset += distance_of(i);
        pieces.push_back(piece);
      }
  };
  for (const Axis& axis : axes) {
    if (!axis.distances.empty()) {
      repeat(static_cast<std::int64_t>(axis.distances.size()),
             [&](std::int64_t i) { return axis.distances[static_cast<std::size_t>(i)]; });
      continue;
    }
    if (axis.count <= 0) return {};
    if (axis.count == 1) continue;
    const std::int64_t stride = axis.stride < 0 ? -axis.stride : axis.stride;
    Piece& only = pieces.front();
    if (axis.stride < 0)
      for (Piece& piece : pieces) piece.offset -= (axis.count - 1) * stride;
    if (pieces.size() == 1 && only.count == 1 && stride == only.bytes)
      only.bytes *= axis.count, only.stride = only.bytes;
    else if (pieces.size() == 1 && only.count == 1)
      only.count = axis.count, only.stride = stride;
    else if (pieces.size() == 1 && stride == only.count * only.stride)
      only.count *= axis.count;
    else
      repeat(axis.count, [&](std::int64_t i) { return i * stride; });
  }
  return pieces;
}

std::vector<Piece> pieces_of(const Descriptor& section, const Subscript* subscripts) {
  const auto element = static_cast<std::int64_t>(section.dtype.element);
  std::vector<Axis> axes;
  for (int i = 0; i < section.dtype.rank; ++i) {
    const Dimension& dimension = section.dimensions[i];
    Axis axis{.count = dimension.extent(), .stride = dimension.stride * element, .distances = {}};
    if (subscripts != nullptr && subscripts[i].count != 0) {
      const Subscript& vector = subscripts[i];
      for (std::size_t k = 0; k < vector.count; ++k)
        axis.distances.push_back(
            (value_of_vector(vector.vector.values, k, vector.vector.kind) - dimension.lower) *
            axis.stride);
    }
    axes.push_back(std::move(axis));
  }
  return pieces_of(axes, element);
}

}  // namespace photofinish::caf
