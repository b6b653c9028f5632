#include "runtime/arena.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <thread>
#include <vector>

namespace photofinish {
namespace {

// Blocks in use do not overlap, keep their contents, and are aligned.
void use_at_random(unsigned seed, int steps) {
  struct Block {
    std::size_t bytes;
    unsigned char filled;
  };
  std::mt19937 random(seed);
  std::map<unsigned char*, Block> blocks;
  const auto check = [](const auto& block) {
    for (std::size_t i = 0; i < block.second.bytes; i += 1 + block.second.bytes / 64)
      ASSERT_EQ(block.first[i], block.second.filled);
  };
  for (int step = 0; step < steps; ++step) {
    const unsigned what = random() % 8;
    if (what < 4 || blocks.empty()) {
      const std::size_t bytes = random() % 2 ? random() % 300 : random() % (1u << (random() % 22));
      const std::size_t alignment = random() % 8 == 0 ? 16u << (random() % 8) : 16;
      auto* const block = static_cast<unsigned char*>(arena::allocate(bytes, alignment));
      ASSERT_NE(block, nullptr);
      ASSERT_TRUE(arena::owns(block));
      ASSERT_EQ(reinterpret_cast<std::uint64_t>(block) % alignment, 0u);
      const auto filled = static_cast<unsigned char>(random());
      std::memset(block, filled, bytes);
      ASSERT_TRUE(blocks.emplace(block, Block{bytes, filled}).second);
      continue;
    }
    auto one = blocks.lower_bound(
        std::next(blocks.begin(), static_cast<int>(random() % blocks.size()))->first);
    check(*one);
    if (what < 6) {
      arena::release(one->first);
      blocks.erase(one);
      continue;
    }
    Block block = one->second;
    unsigned char* const before = one->first;
    blocks.erase(one);
    const std::size_t bytes = random() % (1u << (random() % 18));
    auto* const after = static_cast<unsigned char*>(arena::resize(before, bytes));
    ASSERT_NE(after, nullptr);
    for (std::size_t i = 0; i < std::min(bytes, block.bytes); i += 1 + bytes / 64)
      ASSERT_EQ(after[i], block.filled);
    std::memset(after, block.filled, bytes);
    block.bytes = bytes;
    blocks.emplace(after, block);
  }
  for (const auto& block : blocks) check(block);
  for (const auto& [block, unused] : blocks) arena::release(block);
}

TEST(Arena, BlocksAreApartAndKeepTheirContents) { use_at_random(1, 20000); }

TEST(Arena, SeveralThreads) {
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i) threads.emplace_back([i] { use_at_random(i + 2, 5000); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Arena, WhatIsFreedIsUsedAgain) {
  for (int i = 0; i < 100; ++i) arena::release(arena::allocate(5000));
  const std::size_t before = arena::used();
  for (int i = 0; i < 100000; ++i) arena::release(arena::allocate(5000));
  for (int i = 0; i < 1000; ++i) {
    void* const large = arena::allocate(std::size_t{100} << 20);
    ASSERT_NE(large, nullptr);
    std::memset(large, 1, 4096);
    arena::release(large);
  }
  EXPECT_LE(arena::used(), before + (std::size_t{130} << 20));
}

TEST(Arena, NoMemoryIsNoBlock) {
  EXPECT_EQ(arena::allocate(~std::size_t{0}), nullptr);
  EXPECT_EQ(arena::allocate(std::size_t{1} << 40), nullptr);
  void* const some = arena::allocate(100);
  EXPECT_EQ(arena::resize(some, std::size_t{1} << 40), nullptr);
  arena::release(some);
  arena::release(nullptr);
}

TEST(Arena, AForkedChildHasItsOwn) {
  std::atomic<bool> over{false};
  std::thread busy([&] {
    while (!over) arena::release(arena::allocate(64));
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      for (int j = 0; j < 1000; ++j) arena::release(arena::allocate(64));
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  over = true;
  busy.join();
}

}  // namespace
}  // namespace photofinish
