#include "effects/segments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

namespace photofinish {
namespace {

// For each byte of an access, the region and the owner of its memory: piece by piece, and byte by
// byte.
using Owners = std::map<std::int64_t, std::pair<std::uint64_t, std::int32_t>>;
using Parts = std::vector<std::pair<Uid, WinSegment>>;

void add_bytes(Owners& owners, const Strided& strided, const Segments::Segment* segment) {
  for (const ByteRange& range : expand({{strided}, 0, 0, 0}))
    for (std::int64_t byte = range.begin; byte < range.end; ++byte)
      owners[byte] = segment != nullptr
                         ? std::pair(segment->region.value, segment->position.owner.value)
                         : std::pair<std::uint64_t, std::int32_t>();
}

Owners byte_by_byte(const Strided& strided, const Parts& parts) {
  Owners owners;
  add_bytes(owners, strided, nullptr);
  for (auto& [byte, owner] : owners)
    for (const auto& [region, part] : parts)
      if (byte >= static_cast<std::int64_t>(part.address) &&
          byte < static_cast<std::int64_t>(part.address + part.size))
        owner = {region.value, part.owner.value};
  return owners;
}

TEST(Segments, PiecesAreThoseOfTheBytes) {
  std::mt19937_64 random(1);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
  };
  std::size_t cut = 0;
  for (int round = 0; round < 20'000; ++round) {
    Segments segments;
    Parts parts;
    std::uint64_t address = 20;
    for (int i = 0; i < 4; ++i) {
      address += static_cast<std::uint64_t>(below(2) * below(30));  // half of them are adjacent
      const WinSegment part{WorldRank(i), address, static_cast<std::uint64_t>(below(60))};
      segments.add(Uid(7), part);
      parts.emplace_back(Uid(7), part);
      address += part.size;
    }
    Strided strided{below(100), 1 + below(12), {}};
    for (std::int64_t i = 0, dimensions = below(3); i < dimensions; ++i)
      strided.dimensions.push_back({2 + below(5), below(50)});
    std::sort(strided.dimensions.begin(), strided.dimensions.end(),
              [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });

    std::vector<Segments::Piece> pieces;
    segments.split(strided, pieces);
    Owners owners;
    for (const Segments::Piece& piece : pieces) add_bytes(owners, piece.bytes, piece.segment);
    ASSERT_EQ(owners, byte_by_byte(strided, parts));
    cut += pieces.size() > 1;

    const Segments::Segment* only = nullptr;
    const ByteRange bounds = DataMap{{strided}, 0, 0, 0}.bounds();
    if (segments.lie_in_one(bounds, only)) {
      ASSERT_EQ(pieces.size(), 1u);
      ASSERT_EQ(pieces[0].segment, only);
    }
  }
  EXPECT_GT(cut, 5'000u);
}

// The number of pieces is that of the borders, not that of the rows.
TEST(Segments, RowsStayTogether) {
  Segments segments;
  segments.add(Uid(1), {WorldRank(0), 1'000'000, 500'000});
  segments.add(Uid(1), {WorldRank(1), 1'500'000, 500'000});
  std::vector<Segments::Piece> pieces;
  segments.split({1'000'000, 8, {{10, 16}, {5'000, 200}}}, pieces);
  EXPECT_EQ(pieces.size(), 2u);
}

TEST(Segments, ForgetsTheRegion) {
  Segments segments;
  segments.add(Uid(1), {WorldRank(0), 100, 50});
  segments.add(Uid(2), {WorldRank(1), 200, 50});
  segments.remove(Uid(1));
  const Segments::Segment* one = nullptr;
  EXPECT_TRUE(segments.lie_in_one({100, 150}, one));
  EXPECT_EQ(one, nullptr);
  EXPECT_TRUE(segments.lie_in_one({200, 250}, one));
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->position.owner, WorldRank(1));
}

}  // namespace
}  // namespace photofinish
