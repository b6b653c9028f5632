// Compares data maps with multisets of byte positions. The twin below stores every position, and is
// simple and slow.
#include "model/data_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace photofinish {
namespace {

using std::int64_t;

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

struct Twin {
  std::vector<int64_t> positions;
  int64_t lower_bound = 0;
  int64_t upper_bound = 0;
  int64_t extent() const { return upper_bound - lower_bound; }
};

Twin twin_located(const Twin& twin, const std::vector<int64_t>& displacements) {
  Twin result;
  for (const int64_t& displacement : displacements) {
    for (const int64_t position : twin.positions)
      result.positions.push_back(position + displacement);
    const int64_t lower = twin.lower_bound + displacement, upper = twin.upper_bound + displacement;
    const bool first = &displacement == displacements.data();
    result.lower_bound = first ? lower : std::min(result.lower_bound, lower);
    result.upper_bound = first ? upper : std::max(result.upper_bound, upper);
  }
  return result;
}

Twin twin_repeated(const Twin& twin, int64_t count, int64_t stride) {
  std::vector<int64_t> displacements;
  for (int64_t i = 0; i < count; ++i) displacements.push_back(i * stride);
  return twin_located(twin, displacements);
}

Twin twin_joined(const Twin& a, const Twin& b) {
  const auto nothing = [](const Twin& twin) {
    return twin.positions.empty() && twin.extent() == 0;
  };
  if (nothing(a)) return nothing(b) ? Twin() : b;
  if (nothing(b)) return a;
  Twin result = a;
  result.positions.insert(result.positions.end(), b.positions.begin(), b.positions.end());
  result.lower_bound = std::min(a.lower_bound, b.lower_bound);
  result.upper_bound = std::max(a.upper_bound, b.upper_bound);
  return result;
}

void append_positions(const Strided& strided, std::size_t dimension, int64_t offset,
                      std::vector<int64_t>& positions) {
  if (dimension == strided.dimensions.size()) {
    for (int64_t i = 0; i < strided.length; ++i) positions.push_back(offset + i);
    return;
  }
  for (int64_t i = 0; i < strided.dimensions[dimension].count; ++i)
    append_positions(strided, dimension + 1, offset + i * strided.dimensions[dimension].stride,
                     positions);
}

std::vector<int64_t> positions_of(const DataMap& map) {
  std::vector<int64_t> positions;
  for (const Strided& strided : map.footprint)
    append_positions(strided, 0, strided.offset, positions);
  std::sort(positions.begin(), positions.end());
  return positions;
}

std::vector<ByteRange> ranges_of(std::vector<int64_t> positions) {
  std::sort(positions.begin(), positions.end());
  std::vector<ByteRange> ranges;
  for (const int64_t position : positions) {
    if (!ranges.empty() && position <= ranges.back().end)
      ranges.back().end = position + 1;
    else
      ranges.push_back({position, position + 1});
  }
  return ranges;
}

// The invariants of data_map.h.
void expect_normal(const DataMap& map) {
  int64_t size = 0;
  for (const Strided& strided : map.footprint) {
    size += strided.bytes();
    EXPECT_GT(strided.length, 0);
    for (std::size_t i = 0; i < strided.dimensions.size(); ++i) {
      const Dimension& dimension = strided.dimensions[i];
      EXPECT_GT(dimension.count, 1);
      EXPECT_GE(dimension.stride, 0);
      EXPECT_NE(dimension.stride, strided.length);
      if (i == 0) continue;
      const Dimension& inner = strided.dimensions[i - 1];
      EXPECT_LE(inner.stride, dimension.stride);
      EXPECT_NE(dimension.stride, inner.count * inner.stride);
    }
  }
  EXPECT_EQ(map.size, size);
  EXPECT_TRUE(
      std::is_sorted(map.footprint.begin(), map.footprint.end(),
                     [](const Strided& a, const Strided& b) { return a.offset < b.offset; }));
  DataMap again = map;
  normalize(again);
  EXPECT_EQ(again, map);
}

void expect_same(const DataMap& map, Twin twin) {
  std::sort(twin.positions.begin(), twin.positions.end());
  expect_normal(map);
  EXPECT_EQ(positions_of(map), twin.positions);
  EXPECT_EQ(map.size, std::ssize(twin.positions));
  EXPECT_EQ(map.lower_bound, twin.lower_bound);
  EXPECT_EQ(map.extent, twin.extent());
  EXPECT_EQ(expand(map), ranges_of(twin.positions));
  EXPECT_EQ(expand(map, 3), ranges_of(twin_repeated(twin, 3, twin.extent()).positions));
  const ByteRange bounds = twin.positions.empty()
                               ? ByteRange{}
                               : ByteRange{twin.positions.front(), twin.positions.back() + 1};
  EXPECT_EQ(map.bounds(), bounds);
}

DataMap footprint(std::vector<Strided> list) {
  DataMap map;
  map.footprint = std::move(list);
  normalize(map);
  return map;
}

TEST(DataMap, ContiguousIsOneBox) {
  const DataMap map = contiguous_map(8);
  EXPECT_EQ(map, (DataMap{{{0, 8, {}}}, 8, 0, 8}));
  EXPECT_TRUE(map.contiguous());
  EXPECT_EQ(repeated(map, 1000000000), contiguous_map(8000000000));
}

TEST(DataMap, EmptyMaps) {
  EXPECT_EQ(contiguous_map(0), DataMap());
  EXPECT_EQ(contiguous_map(-1), DataMap());
  EXPECT_EQ(repeated(contiguous_map(4), 0), DataMap());
  EXPECT_EQ(repeated(contiguous_map(4), -3, 8), DataMap());
  EXPECT_EQ(joined({}), DataMap());
  EXPECT_EQ(joined({DataMap(), DataMap()}), DataMap());
  EXPECT_EQ(located(contiguous_map(4), {}), DataMap());
  EXPECT_EQ(located(contiguous_map(4), {{0, 100}}), DataMap());
  EXPECT_FALSE(DataMap().contiguous());
  EXPECT_EQ(DataMap().bounds(), ByteRange());
  EXPECT_TRUE(expand(DataMap(), 5).empty());
  EXPECT_TRUE(expand(contiguous_map(4), 0).empty());
  EXPECT_TRUE(expand(contiguous_map(4), -1).empty());
}

TEST(DataMap, EmptyBoxesVanish) {
  EXPECT_EQ(footprint({{0, 0, {}}, {5, -3, {}}, {7, 4, {{0, 8}}}, {9, 4, {{-2, 8}}}}), DataMap());
  EXPECT_EQ(footprint({{0, 4, {{1, 99}, {1, -99}}}}).footprint, (std::vector<Strided>{{0, 4, {}}}));
}

TEST(DataMap, EmptyMapWithExtentStillSpans) {
  const DataMap marker = resized(DataMap(), -16, 64);
  const DataMap map = joined({contiguous_map(4), marker});
  EXPECT_EQ(map.lower_bound, -16);
  EXPECT_EQ(map.extent, 64);
  EXPECT_EQ(map.size, 4);
}

TEST(DataMap, VectorIsOneBox) {
  const DataMap map = repeated(repeated(contiguous_map(8), 2), 1000000, 40);
  EXPECT_EQ(map.footprint, (std::vector<Strided>{{0, 16, {{1000000, 40}}}}));
  EXPECT_EQ(map.size, 16000000);
  EXPECT_EQ(map.extent, 999999 * 40 + 16);
}

TEST(DataMap, ContiguousOfVectorHasTwoDimensions) {
  const DataMap vector = repeated(contiguous_map(4), 10, 12);
  EXPECT_EQ(repeated(vector, 5).footprint, (std::vector<Strided>{{0, 4, {{10, 12}, {5, 112}}}}));
}

TEST(DataMap, VectorWhoseElementsContinueItIsFolded) {
  const DataMap vector = resized(repeated(contiguous_map(4), 10, 12), 0, 120);
  EXPECT_EQ(repeated(vector, 5).footprint, (std::vector<Strided>{{0, 4, {{50, 12}}}}));
}

TEST(DataMap, RowsAndColumnsAreTheSameBytes) {
  const DataMap element = contiguous_map(8);
  const DataMap rows = repeated(repeated(element, 100, 8), 200, 800);
  const DataMap columns = repeated(repeated(element, 200, 800), 100, 8);
  EXPECT_EQ(rows, contiguous_map(160000));
  EXPECT_EQ(columns, rows);
}

TEST(DataMap, NegativeStridesStartAtTheOtherEnd) {
  const DataMap map = repeated(contiguous_map(4), 3, -10);
  EXPECT_EQ(map, (DataMap{{{-20, 4, {{3, 10}}}}, 12, -20, 24}));
  EXPECT_EQ(repeated(contiguous_map(4), 3, -4), (DataMap{{{-8, 12, {}}}, 12, -8, 12}));
}

TEST(DataMap, ZeroStrideNamesBytesAgain) {
  const DataMap map = repeated(contiguous_map(4), 1000000000, 0);
  EXPECT_EQ(map.footprint, (std::vector<Strided>{{0, 4, {{1000000000, 0}}}}));
  EXPECT_EQ(map.size, 4000000000);
  EXPECT_EQ(map.extent, 4);
  EXPECT_EQ(expand(map), (std::vector<ByteRange>{{0, 4}}));
}

TEST(DataMap, OverlappingBlocksCountTwice) {
  const DataMap map = joined({contiguous_map(8), shifted(contiguous_map(8), 4)});
  EXPECT_EQ(map.size, 16);
  EXPECT_EQ(map.extent, 12);
  EXPECT_EQ(expand(map), (std::vector<ByteRange>{{0, 12}}));
}

TEST(DataMap, ResizedWithNegativeLowerBound) {
  const DataMap map = resized(contiguous_map(4), -8, 20);
  EXPECT_EQ(repeated(map, 3), (DataMap{{{0, 4, {{3, 20}}}}, 12, -8, 60}));
  EXPECT_FALSE(map.contiguous());
  EXPECT_TRUE(resized(contiguous_map(4), -8, 4).contiguous());
}

TEST(DataMap, ResizedToOverlapWithItself) {
  const DataMap map = repeated(resized(contiguous_map(8), 0, 4), 3);
  EXPECT_EQ(map.size, 24);
  EXPECT_EQ(expand(map), (std::vector<ByteRange>{{0, 16}}));
}

TEST(DataMap, NegativeExtentGoesBackwards) {
  const DataMap map = repeated(resized(contiguous_map(4), 0, -4), 3);
  EXPECT_EQ(map.footprint, (std::vector<Strided>{{-8, 12, {}}}));
}

TEST(DataMap, RegularIndexedIsFound) {
  std::vector<Block> blocks;
  for (int64_t i = 0; i < 1000000; ++i) blocks.push_back({2, i * 24});
  const DataMap vector = repeated(repeated(contiguous_map(4), 2), 1000000, 24);
  EXPECT_EQ(located(contiguous_map(4), blocks), vector);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(1));
  EXPECT_EQ(located(contiguous_map(4), blocks), vector);
}

TEST(DataMap, RegularIndexedOfAGridIsFound) {
  std::vector<Block> blocks;
  for (int64_t i = 0; i < 100000; ++i)
    blocks.push_back({1, i % 2 * 16 + i / 2 % 50 * 1000 + i / 100 * 1000000});
  const DataMap map = located(contiguous_map(4), blocks);
  EXPECT_EQ(map.footprint, (std::vector<Strided>{{0, 4, {{2, 16}, {50, 1000}, {1000, 1000000}}}}));
}

TEST(DataMap, RegularIndexedWithABreakIsTwoBoxes) {
  std::vector<Block> blocks;
  for (int64_t i = 0; i < 1000; ++i) blocks.push_back({1, i * 16 + (i >= 300 ? 5 : 0)});
  EXPECT_EQ(located(contiguous_map(4), blocks).footprint,
            (std::vector<Strided>{{0, 4, {{300, 16}}}, {4805, 4, {{700, 16}}}}));
}

TEST(DataMap, InterleavedRunsAreFound) {
  std::vector<DataMap> members;
  for (int64_t i = 0; i < 1000; ++i) {
    members.push_back(shifted(contiguous_map(1), i * 16));
    members.push_back(shifted(contiguous_map(4), i * 16 + 8));
  }
  EXPECT_EQ(joined(members).footprint,
            (std::vector<Strided>{{0, 1, {{1000, 16}}}, {8, 4, {{1000, 16}}}}));
}

TEST(DataMap, HalvesThatInterleaveWithoutGapAreOneBlock) {
  const DataMap real = repeated(contiguous_map(8), 1000, 16);
  EXPECT_EQ(joined({real, shifted(real, 8)}), contiguous_map(16000));
}

TEST(DataMap, NeighborsMergeWhateverTheirOrder) {
  EXPECT_EQ(footprint({{12, 4, {}}, {0, 8, {}}, {8, 4, {}}}).footprint,
            (std::vector<Strided>{{0, 16, {}}}));
}

TEST(DataMap, IrregularIndexedStaysPlain) {
  std::mt19937 random(1);
  std::vector<Block> blocks;
  int64_t location = 0, bytes = 0;
  for (int64_t i = 0; i < 300000; ++i) {
    const int64_t count = 1 + random() % 1000;
    blocks.push_back({count, location});
    location += count * 4 + 1 + random() % 1000;
    bytes += count * 4;
  }
  const DataMap map = located(contiguous_map(4), blocks);
  EXPECT_EQ(map.size, bytes);
  EXPECT_LE(map.footprint.size(), 300000u);
  const auto plain = [](const Strided& strided) { return strided.dimensions.empty(); };
  EXPECT_GT(std::count_if(map.footprint.begin(), map.footprint.end(), plain), 297000);
  EXPECT_EQ(expand(map).size(), 300000u);
}

TEST(DataMap, BoxesBeyondEveryMemoryAreDropped) {
  const DataMap huge = contiguous_map(kMax);
  EXPECT_EQ(huge.size, kMax);
  EXPECT_EQ(repeated(huge, 3).footprint.size(), 0u);
  EXPECT_EQ(shifted(huge, 1).footprint.size(), 0u);
  EXPECT_EQ(shifted(shifted(contiguous_map(4), kMin), -1).footprint.size(), 0u);
  EXPECT_EQ(repeated(contiguous_map(4), kMax, kMax).footprint.size(), 0u);
  EXPECT_EQ(repeated(contiguous_map(4), kMax, kMin).footprint.size(), 0u);
  EXPECT_EQ(repeated(contiguous_map(4), 2, kMin).footprint.size(), 0u);
  EXPECT_EQ(repeated(contiguous_map(4), kMax, 0).footprint.size(), 0u);
  EXPECT_EQ(located(contiguous_map(4), {{kMax, kMax}, {kMax, kMin}}).footprint.size(), 0u);
  const DataMap nested =
      repeated(repeated(repeated(contiguous_map(8), 1 << 30, 1 << 30), 1 << 30), 1 << 30);
  EXPECT_EQ(nested.footprint.size(), 0u);
  EXPECT_EQ(resized(contiguous_map(4), kMin, kMax).size, 4);
  EXPECT_EQ(repeated(resized(contiguous_map(4), kMin, kMax), 5).footprint.size(), 0u);
}

TEST(DataMap, AddressesAtBothEndsOfMemory) {
  const DataMap map = located(contiguous_map(4), {{1, kMin}, {1, 0}, {1, kMax - 4}});
  EXPECT_EQ(map.size, 12);
  EXPECT_EQ(map.bounds(), (ByteRange{kMin, kMax}));
  EXPECT_EQ(expand(map).size(), 3u);
}

struct Sample {
  DataMap map;
  Twin twin;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}

  Sample sample(int depth) {
    if (depth == 0) return block(number(0, 5));
    Sample result = sample(depth - 1);
    change(result, depth);
    // Large maps make failures hard to read, and add no coverage.
    return result.twin.positions.size() > 2000 ? block(number(0, 5)) : result;
  }

 private:
  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random_);
  }

  static Sample block(int64_t bytes) {
    Twin twin;
    for (int64_t i = 0; i < bytes; ++i) twin.positions.push_back(i);
    twin.upper_bound = bytes;
    return {contiguous_map(bytes), twin};
  }

  void change(Sample& sample, int depth) {
    auto& [map, twin] = sample;
    switch (number(0, 5)) {
      case 0: {
        const int64_t count = number(0, 4);
        twin = twin_repeated(twin, count, twin.extent());
        map = repeated(map, count);
        break;
      }
      case 1: {
        const int64_t count = number(0, 4), stride = number(-12, 24);
        twin = twin_repeated(twin, count, stride);
        map = repeated(map, count, stride);
        break;
      }
      case 2: {
        const int64_t bytes = number(-20, 20);
        twin = twin_located(twin, {bytes});
        map = shifted(map, bytes);
        break;
      }
      case 3: {
        const int64_t lower_bound = number(-8, 8), extent = number(-6, 30);
        twin.lower_bound = lower_bound;
        twin.upper_bound = lower_bound + extent;
        map = resized(map, lower_bound, extent);
        break;
      }
      case 4: {
        const Sample other = this->sample(depth - 1);
        twin = twin_joined(twin, other.twin);
        map = joined({map, other.map});
        break;
      }
      case 5:
        location(sample);
        break;
    }
  }

  void location(Sample& sample) {
    std::vector<Block> blocks(number(0, 6));
    std::vector<int64_t> displacements;
    for (Block& block : blocks) {
      block = {number(0, 3), number(-5, 10) * number(1, 8)};
      for (int64_t i = 0; i < block.count; ++i)
        displacements.push_back(block.displacement + i * sample.twin.extent());
    }
    sample.twin = twin_located(sample.twin, displacements);
    sample.map = located(sample.map, blocks);
  }

  std::mt19937_64 random_;
};

TEST(DataMap, AgreesWithNaiveTwin) {
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Sample sample = Random(seed).sample(static_cast<int>(seed % 6));
    expect_same(sample.map, sample.twin);
    if (HasFailure()) return;
  }
}

// Long lists take the other branch of compress(): its result may vary, but not the bytes that it
// names.
TEST(DataMap, LongListsAgreeWithNaiveTwin) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const std::uint64_t jitter = 1 + random() % 6, lengths = 1 + random() % 3,
                        period = 1 + random() % 12;
    std::vector<Block> blocks;
    std::vector<int64_t> positions;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const int64_t location = static_cast<int64_t>(i * period + random() % jitter);
      const int64_t count = static_cast<int64_t>(1 + random() % lengths);
      blocks.push_back({count, location});
      for (int64_t byte = 0; byte < count * 2; ++byte) positions.push_back(location + byte);
    }
    std::sort(positions.begin(), positions.end());
    const DataMap map = located(contiguous_map(2), blocks);
    EXPECT_EQ(positions_of(map), positions);
    EXPECT_EQ(expand(map), ranges_of(positions));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace photofinish
