// Compares strided footprints with sets of bytes. The twin below lists every byte.
#include "memory/overlap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <ostream>
#include <set>
#include <vector>

#include "property.h"

namespace photofinish {

// Print functions for rapidcheck and GoogleTest.
void PrintTo(const Strided& strided, std::ostream* out) {
  *out << "{" << strided.offset << ", " << strided.length << ", {";
  for (const Dimension& each : strided.dimensions)
    *out << "{" << each.count << ", " << each.stride << "}";
  *out << "}}";
}
void showValue(const Strided& strided, std::ostream& out) { PrintTo(strided, &out); }

namespace {

using std::int64_t;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

std::vector<int64_t> starts_of(const Strided& strided) {
  std::vector<int64_t> starts{strided.offset};
  for (const Dimension& each : strided.dimensions) {
    std::vector<int64_t> more;
    for (const int64_t start : starts)
      for (int64_t i = 0; i < each.count; ++i) more.push_back(start + i * each.stride);
    starts = std::move(more);
  }
  return starts;
}

std::set<int64_t> bytes_of(const Strided& strided) {
  std::set<int64_t> bytes;
  for (const int64_t start : starts_of(strided))
    for (int64_t i = 0; i < strided.length; ++i) bytes.insert(start + i);
  return bytes;
}

std::vector<int64_t> common_twin(const Strided& a, const Strided& b) {
  const std::set<int64_t> of_a = bytes_of(a), of_b = bytes_of(b);
  std::vector<int64_t> common;
  std::ranges::set_intersection(of_a, of_b, std::back_inserter(common));
  return common;
}

bool aligned_twin(const Strided& a, const Strided& b, int64_t size) {
  std::set<int64_t> elements_of_a;
  for (const int64_t start : starts_of(a))
    for (int64_t i = 0; i + size <= a.length; i += size) elements_of_a.insert(start + i);
  for (const int64_t start : starts_of(b))
    for (int64_t i = 0; i + size <= b.length; i += size)
      for (int64_t distance = 1 - size; distance < size; ++distance)
        if (distance != 0 && elements_of_a.contains(start + i + distance)) return false;
  return true;
}

// Sorted dimensions; each stride exceeds the extent of the inner dimensions.
bool overlaps_itself(const Strided& strided) {
  int64_t extent = strided.length;
  for (const Dimension& each : strided.dimensions) {
    if (each.stride < extent) return true;
    extent += (each.count - 1) * each.stride;
  }
  return false;
}

int64_t number(int64_t low, int64_t high) {
  return *rc::gen::resize(100, rc::gen::inRange(low, high + 1));
}

// `unit` divides every length and stride. At 8 or more, footprints often interleave without
// overlapping.
Strided any_box(int dimensions, int64_t unit, int64_t most_length = 3) {
  Strided strided{number(0, 200), number(1, most_length) * unit, {}};
  int64_t extent = strided.length;
  for (int i = 0; i < dimensions; ++i) {
    const int64_t count = number(1, 4);
    // Sometimes smaller than the inner extent, or 0.
    const int64_t stride = (number(0, 5) == 0 ? number(0, 8) : extent / unit + number(0, 6)) * unit;
    strided.dimensions.push_back({count, stride});
    extent += (count - 1) * stride;
  }
  std::ranges::sort(strided.dimensions, {}, &Dimension::stride);
  return strided;
}

// A position within the other's bounds, so that most pairs need the full comparison.
void location_near(Strided& strided, const Strided& other) {
  const std::vector<int64_t> starts = starts_of(other);
  const auto [low, high] = std::ranges::minmax(starts);
  const std::vector<int64_t> own = starts_of(strided);
  const auto [own_low, own_high] = std::ranges::minmax(own);
  strided.offset = number(low - (own_high - own_low) - strided.length, high + other.length);
}

void expect_as_twin(const Strided& a, const Strided& b) {
  const std::vector<int64_t> common = common_twin(a, b);
  RC_CLASSIFY(common.empty());
  RC_ASSERT(overlap(a, b) == !common.empty());
  RC_ASSERT(overlap(b, a) == !common.empty());
  const auto range = common_bytes(a, b);
  RC_ASSERT(range.has_value() == !common.empty());
  if (!range) return;
  RC_ASSERT(range->begin < range->end);
  for (int64_t byte = range->begin; byte < range->end; ++byte)
    RC_ASSERT(std::ranges::binary_search(common, byte));
  if (!overlaps_itself(a) && !overlaps_itself(b)) RC_ASSERT(range->begin == common.front());
}

RC_GTEST_PROP(OverlapTwin, OneDimensionEach, ()) {
  const Strided a{number(0, 100), number(1, 6), {{number(1, 40), number(0, 25)}}};
  Strided b{0, number(1, 6), {{number(1, 40), number(0, 25)}}};
  location_near(b, a);
  expect_as_twin(a, b);
}

RC_GTEST_PROP(OverlapTwin, AnyDimensions, ()) {
  const int64_t unit = *rc::gen::element(1, 1, 2, 8);
  const Strided a = any_box(static_cast<int>(number(0, 3)), unit);
  Strided b = any_box(static_cast<int>(number(0, 3)), unit);
  location_near(b, a);
  expect_as_twin(a, b);
}

RC_GTEST_PROP(OverlapTwin, SparseBoxesOfManyDimensions, ()) {
  const auto sparse = [] {
    Strided strided{0, 1, {}};
    for (int64_t i = number(2, 4); i > 0; --i)
      strided.dimensions.push_back({number(2, 4), number(7, 200)});
    std::ranges::sort(strided.dimensions, {}, &Dimension::stride);
    return strided;
  };
  const Strided a = sparse();
  Strided b = sparse();
  location_near(b, a);
  expect_as_twin(a, b);
}

RC_GTEST_PROP(OverlapTwin, PartsOfOneArray, ()) {
  const int64_t row = number(10, 30), plane = row * number(3, 6);
  const auto part = [&] {
    const Dimension inner{number(2, 4), number(2, 6)};
    return Strided{
        number(0, 100), number(1, 3), {inner, {number(2, 4), row}, {number(2, 3), plane}}};
  };
  expect_as_twin(part(), part());
}

// Large addresses must not change the result.
RC_GTEST_PROP(OverlapTwin, EndsOfMemory, ()) {
  Strided a = any_box(static_cast<int>(number(0, 2)), 1);
  Strided b = any_box(static_cast<int>(number(0, 2)), 1);
  location_near(b, a);
  const int64_t lowest = std::min(a.offset, b.offset);
  a.offset -= lowest;
  b.offset -= lowest;
  const bool expected = overlap(a, b);
  const auto end = [](const Strided& strided) {
    return std::ranges::max(starts_of(strided)) + strided.length;
  };
  for (const int64_t shift : {kMin, kMax - std::max(end(a), end(b))}) {
    const Strided far_a{a.offset + shift, a.length, a.dimensions},
        far_b{b.offset + shift, b.length, b.dimensions};
    RC_ASSERT(overlap(far_a, far_b) == expected);
    const auto range = common_bytes(far_a, far_b), near = common_bytes(a, b);
    RC_ASSERT(range.has_value() == expected);
    if (expected) RC_ASSERT(*range == (ByteRange{near->begin + shift, near->end + shift}));
  }
}

RC_GTEST_PROP(AlignedAlikeTwin, AnyElements, ()) {
  const int64_t size = *rc::gen::element(2, 4, 8), unit = *rc::gen::element<int64_t>(1, 2, size);
  const auto elements = [&] {
    Strided strided = any_box(static_cast<int>(number(0, 2)), unit);
    strided.length = number(1, 3) * size;
    return strided;
  };
  const Strided a = elements();
  Strided b = elements();
  location_near(b, a);
  if (number(0, 1) == 0) b.offset += (a.offset - b.offset) % size;
  RC_CLASSIFY(aligned_twin(a, b, size));
  RC_ASSERT(aligned_alike(a, b, size) == aligned_twin(a, b, size));
  RC_ASSERT(aligned_alike(b, a, size) == aligned_twin(a, b, size));
}

TEST(Overlap, Blocks) {
  EXPECT_TRUE(overlap({0, 8, {}}, {7, 1, {}}));
  EXPECT_FALSE(overlap({0, 8, {}}, {8, 8, {}}));
  EXPECT_FALSE(overlap({8, 8, {}}, {0, 8, {}}));
  EXPECT_EQ(common_bytes({0, 8, {}}, {4, 8, {}}), (ByteRange{4, 8}));
  EXPECT_EQ(common_bytes({4, 2, {}}, {0, 8, {}}), (ByteRange{4, 6}));
  EXPECT_EQ(common_bytes({0, 8, {}}, {8, 8, {}}), std::nullopt);
}

TEST(Overlap, EmptyBoxesShareNothing) {
  const Strided whole{0, 100, {}};
  EXPECT_FALSE(overlap({5, 0, {}}, whole));
  EXPECT_FALSE(overlap(whole, {5, -1, {}}));
  EXPECT_FALSE(overlap({5, 4, {{0, 8}}}, whole));
  EXPECT_EQ(common_bytes(whole, {5, 4, {{3, 8}, {0, 100}}}), std::nullopt);
  EXPECT_TRUE(aligned_alike(whole, {5, 0, {}}, 4));
}

TEST(Overlap, StrideZeroIsOneBlock) {
  const Strided strided{10, 4, {{kMax / 8, 0}}};
  EXPECT_EQ(common_bytes(strided, {0, 100, {}}), (ByteRange{10, 14}));
  EXPECT_EQ(common_bytes(strided, strided), (ByteRange{10, 14}));
  EXPECT_FALSE(overlap(strided, {14, 4, {{kMax / 8, 0}}}));
}

TEST(Overlap, InterleavedVectorsMiss) {
  const Strided even{0, 8, {{1 << 20, 16}}}, odd{8, 8, {{1 << 20, 16}}};
  EXPECT_FALSE(overlap(even, odd));
  EXPECT_EQ(common_bytes(even, {9, 8, {{1 << 20, 16}}}), (ByteRange{16, 17}));
}

TEST(Overlap, HalosOfNeighborsInOneArray) {
  // The same face of a 1000³ array of doubles, one plane apart, and the plane that overlaps both.
  constexpr int64_t kPlane = 8'000'000, kRow = 8000;
  const Strided face{0, 8, {{1000, kRow}, {1000, kPlane}}},
      next_face{8, 8, {{1000, kRow}, {1000, kPlane}}};
  EXPECT_FALSE(overlap(face, next_face));
  const Strided plane{5 * kPlane, kPlane, {}};
  EXPECT_EQ(common_bytes(face, plane), (ByteRange{5 * kPlane, 5 * kPlane + 8}));
  EXPECT_EQ(common_bytes(plane, next_face), (ByteRange{5 * kPlane + 8, 5 * kPlane + 16}));
}

TEST(Overlap, HugeCountsAreDecidedAtOnce) {
  constexpr int64_t kMany = int64_t{1} << 40;
  // All starts of one are odd, all of the other even.
  EXPECT_FALSE(overlap({0, 1, {{kMany, 6}}}, {1, 1, {{kMany, 4}}}));
  // Coprime strides meet late: 999983 i = 1000003 j + 1 first at i = 350001.
  EXPECT_EQ(common_bytes({0, 1, {{kMany, 999983}}}, {1, 1, {{kMany, 1000003}}}),
            (ByteRange{999983 * int64_t{350001}, 999983 * int64_t{350001} + 1}));
  EXPECT_FALSE(overlap({0, 1, {{350001, 999983}}}, {1, 1, {{kMany, 1000003}}}));
  // Only the last block of one overlaps the first of the other.
  const Strided far{(kMany - 1) * 1000 + 3, 5, {{kMany, 1001}}};
  EXPECT_EQ(common_bytes({0, 4, {{kMany, 1000}}}, far),
            (ByteRange{(kMany - 1) * 1000 + 3, (kMany - 1) * 1000 + 4}));
  // Five dimensions against five, of the same shape and of another one.
  const Strided deep{0,
                     4,
                     {{10, 16},
                      {100, 1000},
                      {1000, 1'000'000},
                      {1000, 10'000'000'000},
                      {1000, 100'000'000'000'000}}};
  Strided moved = deep;
  moved.offset = 4;
  EXPECT_FALSE(overlap(deep, moved));
  moved.offset = 1003 + 1'000'000'000;
  EXPECT_FALSE(overlap(deep, moved));
  moved.dimensions.front().stride = 24;
  moved.offset = 1008;
  EXPECT_EQ(common_bytes(deep, moved), (ByteRange{1032, 1036}));
}

TEST(Overlap, NumbersAtTheLimits) {
  const Strided everything{kMin, kMax, {{2, kMax}}};
  EXPECT_TRUE(overlap(everything, {kMax - 2, 1, {}}));
  EXPECT_FALSE(overlap(everything, {kMax - 1, 1, {}}));
  EXPECT_EQ(common_bytes(everything, everything), (ByteRange{kMin, 0 - 1}));
  const Strided both_ends{kMin, 4, {{2, kMax}}};
  EXPECT_EQ(common_bytes(both_ends, {-1, 100, {}}), (ByteRange{-1, 3}));
  EXPECT_EQ(common_bytes({kMin, 1, {{kMax, 1}}}, {-3, 1, {{kMax, 1}}}), (ByteRange{-3, -2}));
  EXPECT_EQ(common_bytes({0, 1, {{kMax - 1, 1}}}, {kMax - 2, 1, {}}),
            (ByteRange{kMax - 2, kMax - 1}));
  EXPECT_FALSE(overlap({0, 1, {{2, kMax - 1}}}, {1, 1, {{2, kMax - 3}}}));
}

TEST(AlignedAlike, VectorsOfDoubles) {
  const Strided column{0, 8, {{1000, 800}}};
  EXPECT_TRUE(aligned_alike(column, {0, 800000, {}}, 8));
  EXPECT_TRUE(aligned_alike(column, {8, 8, {{1000, 800}}}, 8)) << "no overlap, nothing misaligned";
  EXPECT_FALSE(aligned_alike(column, {4, 8, {{1000, 800}}}, 8));
  EXPECT_FALSE(aligned_alike(column, {4, 800, {}}, 8));
  EXPECT_TRUE(aligned_alike(column, {12, 700, {}}, 8)) << "700 is no multiple of 8";
  EXPECT_TRUE(aligned_alike(column, {4, 8, {{1000, 800}}}, 1));
  EXPECT_TRUE(aligned_alike(column, {4, 8, {{1000, 800}}}, 0));
  // Structures of 12 bytes: every second double of one straddles two of the other.
  EXPECT_FALSE(aligned_alike({0, 8, {{1000, 12}}}, {0, 8000, {}}, 8));
  EXPECT_TRUE(aligned_alike({0, 8, {{int64_t{1} << 40, 24}}}, {0, int64_t{1} << 45, {}}, 8));
}

}  // namespace
}  // namespace photofinish
