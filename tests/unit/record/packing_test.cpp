#include "record/packing.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

namespace photofinish {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes packed(const Bytes& data) {
  Bytes out(packed_bound(data.size()));
  out.resize(static_cast<std::size_t>(pack(data.data(), data.size(), out.data()) - out.data()));
  return out;
}

// The slow twin: decodes byte by byte.
Bytes meaning(const Bytes& in, std::size_t size) {
  Bytes out(size / 8 * 8), last(8);
  std::size_t at = 0;
  for (std::size_t word = 0; word + 8 <= size; word += 8) {
    const std::size_t skipped = in.at(at) >> 4, kept = in.at(at) & 15;
    ++at;
    for (std::size_t i = 0; i < kept; ++i) last.at(skipped + i) ^= in.at(at++);
    std::copy(last.begin(), last.end(), out.begin() + static_cast<std::ptrdiff_t>(word));
  }
  out.insert(out.end(), in.begin() + static_cast<std::ptrdiff_t>(at), in.end());
  return out;
}

TEST(Packing, GivesBackWhatItWasGiven) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 4000; ++round) {
    Bytes data(random() % 300);
    const std::uint64_t kind = random() % 4;
    for (std::size_t i = 0; i + 8 <= data.size(); i += 8) {
      const std::uint64_t words[] = {
          random(), random() % 1000, 0,
          std::bit_cast<std::uint64_t>(static_cast<double>(random() % (1 << 24)))};
      std::memcpy(&data[i], &words[kind], 8);
    }
    const Bytes in = packed(data);
    ASSERT_LE(in.size(), packed_bound(data.size()));
    ASSERT_EQ(meaning(in, data.size()), data);
    Bytes out(data.size());
    ASSERT_EQ(unpack(in.data(), in.data() + in.size(), out.data(), out.size()),
              in.data() + in.size());
    ASSERT_EQ(out, data);
  }
}

TEST(Packing, NumbersThatAreAlikeTakeFewBytes) {
  Bytes data(8 * 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const double number = 100'000.0 + static_cast<double>(i * 7919 % 50'000);
    std::memcpy(&data[8 * i], &number, 8);
  }
  EXPECT_LT(packed(data).size(), 5 * 1000u);
  EXPECT_EQ(packed(Bytes(8 * 1000)).size(), 1000u);
}

// A damaged journal gives an answer, and no access out of bounds.
TEST(Packing, WhatIsTruncatedOrWrongIsRefused) {
  Bytes data(64);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::uint8_t>(i * 37 + 1);
  const Bytes in = packed(data);
  Bytes out(data.size());
  for (std::size_t size = 0; size < in.size(); ++size)
    EXPECT_EQ(unpack(in.data(), in.data() + size, out.data(), out.size()), nullptr);
  std::mt19937 random(2);
  for (int round = 0; round < 20'000; ++round) {
    Bytes wrong(random() % 80);
    for (auto& byte : wrong) byte = static_cast<std::uint8_t>(random());
    const std::uint8_t* const end =
        unpack(wrong.data(), wrong.data() + wrong.size(), out.data(), out.size());
    ASSERT_TRUE(end == nullptr || end <= wrong.data() + wrong.size());
  }
}

}  // namespace
}  // namespace photofinish
