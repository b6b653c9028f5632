// A row of indices gives the accesses of the loop, in order, each once. Known indices are
// recognized, others are not.
#include "runtime/indices.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <set>

namespace photofinish {
namespace {

std::set<std::uint64_t> bytes_of(const Pattern& pattern) {
  std::set<std::uint64_t> bytes;
  for (const Pattern::Row& row : pattern.rows)
    for (std::uint64_t i = 0; i < row.rows; ++i)
      for (std::uint64_t byte = 0; byte < row.bytes; ++byte) {
        const std::uint64_t at = row.begin + i * row.stride + byte;
        EXPECT_LT(at - pattern.low, pattern.high - pattern.low);
        bytes.insert(at);
      }
  return bytes;
}

template <class Number>
void agrees(std::mt19937_64& random, std::int64_t low, std::int64_t high) {
  const std::uint32_t per_step = 1 + static_cast<std::uint32_t>(random() % 4),
                      gap = static_cast<std::uint32_t>(random() % 2);
  const std::uint64_t slots = 1 + random() % ((1u << per_step) - 1), times = 32 + random() % 100;
  photofinish_index index{};
  index.step = (per_step + gap) * sizeof(Number);
  index.bytes = sizeof(Number) | (std::is_signed_v<Number> ? PHOTOFINISH_SIGNED : 0);
  index.slots = slots;
  std::vector<Number> numbers((per_step + gap) * times);
  for (Number& number : numbers)
    number = static_cast<Number>(
        low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1)));
  const Pattern::Key key{slots, 1 + random() % 16, 1 + random() % 16};
  std::set<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < times; ++i)
    for (std::uint32_t slot = 0; slot < per_step; ++slot)
      for (std::uint64_t byte = 0; (slots >> slot & 1) != 0 && byte < key.bytes; ++byte)
        expected.insert(static_cast<std::uint64_t>(
                            static_cast<std::int64_t>(numbers[i * (per_step + gap) + slot])) *
                            key.scale +
                        byte);
  Indices indices(index);
  ASSERT_TRUE(indices.read(numbers.data(), times));
  EXPECT_EQ(bytes_of(*indices.pattern(key)), expected);
}

TEST(Indices, AreWhatTheLoopTouches) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    agrees<std::uint8_t>(random, 0, 200);
    agrees<std::int8_t>(random, -100, 100);
    agrees<std::uint16_t>(random, 0, 400);
    agrees<std::int32_t>(random, -300, 300);
    agrees<std::int32_t>(random, -2000000000, 2000000000);
    agrees<std::uint32_t>(random, 4294967000, 4294967295);
    agrees<std::int64_t>(random, -3, 90);
    agrees<std::int64_t>(random, std::int64_t{1} << 40, (std::int64_t{1} << 50));
  }
}

struct Row {
  photofinish_index index{};
  std::vector<std::int32_t> numbers = std::vector<std::int32_t>(1000);
  Row() {
    index.step = index.bytes = sizeof(std::int32_t);
    index.bytes |= PHOTOFINISH_SIGNED;
    index.slots = 1;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = static_cast<std::int32_t>(i * 7 % 1000);
  }
};

TEST(Indices, AreKnownAgainWhereverTheyLie) {
  Row row;
  Indices indices(row.index);
  ASSERT_TRUE(indices.read(row.numbers.data(), row.numbers.size()));
  const auto first = indices.pattern({1, 8, 8});
  EXPECT_EQ(first->rows.size(), 1u);  // all of them: no gap
  for (int i = 0; i < 100; ++i) {
    const std::vector<std::int32_t> moved = row.numbers;
    ASSERT_TRUE(indices.read(moved.data(), moved.size()));
    EXPECT_EQ(indices.pattern({1, 8, 8}), first);
  }
  ASSERT_TRUE(indices.read(row.numbers.data(), row.numbers.size()));
  EXPECT_NE(indices.pattern({1, 8, 4}), first);
}

TEST(Indices, ThatDifferInOneAreOthers) {
  Row row;
  Indices indices(row.index);
  std::mt19937_64 random(5);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(indices.read(row.numbers.data(), row.numbers.size()));
    const auto before = indices.pattern({1, 8, 8});
    const std::vector<std::int32_t> old = row.numbers;
    std::int32_t& number = row.numbers[random() % row.numbers.size()];
    number ^= 1 << random() % 20;
    ASSERT_TRUE(indices.read(row.numbers.data(), row.numbers.size()));
    EXPECT_NE(indices.pattern({1, 8, 8}), before);
    row.numbers = old;
  }
}

TEST(Indices, ThatAreNeverTheSameAreRefusedForAWhile) {
  Row row;
  Indices indices(row.index);
  int read = 0;
  for (int i = 0; i < 1000; ++i) {
    row.numbers[0] = i;
    read += indices.read(row.numbers.data(), row.numbers.size());
  }
  EXPECT_LT(read, 50);
  row.numbers[0] = -1;
  int again = 0;
  for (int i = 0; i < 200; ++i) again += indices.read(row.numbers.data(), row.numbers.size());
  EXPECT_GT(again, 50);
}

}  // namespace
}  // namespace photofinish
