// The pieces of sections, against the elements that the section selects, one by one.
#include "frontend/caf/sections.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace photofinish::caf {
namespace {

std::vector<std::int64_t> bytes_of(const std::vector<Piece>& pieces) {
  std::vector<std::int64_t> bytes;
  for (const Piece& piece : pieces)
    for (std::int64_t i = 0; i < piece.count; ++i)
      for (std::int64_t k = 0; k < piece.bytes; ++k)
        bytes.push_back(piece.offset + i * piece.stride + k);
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

// By definition: each element of each index.
std::vector<std::int64_t> bytes_by_index(const std::vector<Axis>& axes, std::int64_t element) {
  std::vector<std::int64_t> starts = {0};
  for (const Axis& axis : axes) {
    std::vector<std::int64_t> next;
    const auto count = axis.distances.empty() ? std::max<std::int64_t>(axis.count, 0)
                                              : static_cast<std::int64_t>(axis.distances.size());
    for (const std::int64_t start : starts)
      for (std::int64_t i = 0; i < count; ++i)
        next.push_back(start + (axis.distances.empty()
                                    ? i * axis.stride
                                    : axis.distances[static_cast<std::size_t>(i)]));
    starts = std::move(next);
  }
  std::vector<std::int64_t> bytes;
  for (const std::int64_t start : starts)
    for (std::int64_t k = 0; k < element; ++k) bytes.push_back(start + k);
  std::sort(bytes.begin(), bytes.end());
  return bytes;
}

TEST(CafSections, SelectTheElements) {
  EXPECT_TRUE(rc::check("sections of three dimensions", [] {
    const auto element = *rc::gen::element<std::int64_t>(1, 4, 8);
    std::vector<Axis> axes;
    std::int64_t extent = element;
    for (int i = 0; i < 3; ++i) {
      const auto size = *rc::gen::inRange<std::int64_t>(1, 6);
      const auto step = *rc::gen::inRange<std::int64_t>(1, 4);
      const auto sign = *rc::gen::element<std::int64_t>(1, -1);
      Axis axis{.count = (size + step - 1) / step, .stride = sign * step * extent, .distances = {}};
      if (*rc::gen::inRange(0, 6) == 0) axis.count = 0;
      if (*rc::gen::inRange(0, 4) == 0)
        for (std::int64_t k = 0; k < size; k += step) axis.distances.push_back(k * extent);
      axes.push_back(axis);
      extent *= size;
    }
    RC_ASSERT(bytes_of(pieces_of(axes, element)) == bytes_by_index(axes, element));
  }));
}

TEST(CafSections, AreFewPieces) {
  // A whole array is one piece; so are a column, a row, and every other element.
  EXPECT_EQ(pieces_of({{10, 4, {}}, {5, 40, {}}}, 4).size(), 1u);
  EXPECT_EQ(pieces_of({{10, 4, {}}}, 4).front().bytes, 40);
  EXPECT_EQ(pieces_of({{5, 40, {}}}, 4).size(), 1u);
  EXPECT_EQ(pieces_of({{5, 8, {}}, {5, 40, {}}}, 4).size(), 1u);
  EXPECT_EQ(pieces_of({{3, 8, {}}, {5, 40, {}}}, 4).size(), 5u);
  EXPECT_TRUE(pieces_of({{0, 4, {}}}, 4).empty());
}

}  // namespace
}  // namespace photofinish::caf
