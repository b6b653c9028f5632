// Scattered accesses come out as they went in: in order, joined, each once. That includes those
// that the program itself marks in a known group.
#include "runtime/scattered.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace photofinish {
namespace {

constexpr std::uint64_t kBase = 0x7f0000001008, kMemory = 1 << 20;

std::set<std::uint64_t> bytes_of(Scattered& scattered) {
  std::set<std::uint64_t> bytes;
  std::uint64_t last = 0;
  scattered.take([&](std::uint64_t begin, std::uint64_t end) {
    EXPECT_LT(begin, end);
    EXPECT_TRUE(last == 0 || begin > last) << "neither in order nor joined";
    last = end;
    for (std::uint64_t at = begin; at < end; ++at) bytes.insert(at);
  });
  return bytes;
}

TEST(Scattered, GivesBackWhatWasAdded) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    const unsigned unit = static_cast<unsigned>(random() % 7);
    const std::uint64_t size = std::uint64_t{1} << unit, bytes = size * (1 + random() % 4),
                        begin = kBase / 64 * 64;
    Scattered scattered(kBase, kBase + kMemory, unit, bytes);
    ASSERT_TRUE(scattered.works());
    for (int timestamp = 0; timestamp < 2; ++timestamp) {
      std::set<std::uint64_t> expected;
      const std::uint64_t locations = 1 + random() % (kMemory / size - 8), count = random() % 200;
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = begin + random() % locations * size;
        scattered.add(at);
        for (std::uint64_t byte = at; byte < at + bytes; ++byte) expected.insert(byte);
      }
      EXPECT_EQ(bytes_of(scattered), expected);
    }
    EXPECT_TRUE(bytes_of(scattered).empty());
  }
}

TEST(Scattered, TakesRanges) {
  std::mt19937_64 random(8);
  Scattered scattered(kBase, kBase + kMemory, 3, 8);
  for (int round = 0; round < 100; ++round) {
    std::set<std::uint64_t> expected;
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t begin = kBase + random() % (kMemory / 16) * 8,
                          end = begin + random() % 200 * 8;
      scattered.add_range(begin, end);
      for (std::uint64_t byte = begin; byte < end; ++byte) expected.insert(byte);
    }
    EXPECT_EQ(bytes_of(scattered), expected);
  }
}

TEST(Scattered, TheProgramSetsBitsOfAGroupThatIsKnown) {
  Scattered scattered(kBase / 64 * 64, kBase + kMemory, 3, 8);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(scattered.bits());
  EXPECT_EQ(bytes[-1], 0);
  EXPECT_EQ(bytes[-2], 0);
  scattered.add(scattered.begin() + 8 * (PHOTOFINISH_GROUP + 5));
  EXPECT_EQ(bytes[-1], 0);
  EXPECT_NE(bytes[-2], 0);
  scattered.bits()[(PHOTOFINISH_GROUP + 70) / 64] |= std::uint64_t{1}
                                                     << (PHOTOFINISH_GROUP + 70) % 64;
  const auto found = bytes_of(scattered);
  EXPECT_EQ(found.size(), 16u);
  EXPECT_TRUE(found.contains(scattered.begin() + 8 * (PHOTOFINISH_GROUP + 70)));
  EXPECT_EQ(bytes[-2], 0);
}

TEST(Scattered, CoversWhatItWasMadeFor) {
  const Scattered scattered(kBase, kBase + 100, 4, 16);
  EXPECT_TRUE(scattered.covers(kBase, kBase + 100));
  EXPECT_FALSE(scattered.covers(kBase - 16, kBase));
  EXPECT_FALSE(scattered.covers(kBase, kBase + 200));
  EXPECT_TRUE(scattered.fits(32));
  EXPECT_FALSE(scattered.fits(8));
}

}  // namespace
}  // namespace photofinish
