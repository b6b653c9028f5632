// Loops without a barrier: accesses of one site are checked as a group.
#include <gtest/gtest.h>

#include <ctime>

#include "world.h"

namespace photofinish::shmem_testing {
namespace {

// PE 0 puts and sets a flag; PE 1 waits, reads and answers. Each is quiet only every 100 times.
void handshakes(World& world, int count) {
  constexpr std::uint64_t kX = 0, kFlag = 128, kAnswer = 136;
  for (int i = 1; i <= count; ++i) {
    const auto value = static_cast<std::uint64_t>(i);
    world.begin_body(1000);
    world.put(0, 1, kX);
    world.fence(0);
    world.p(0, 1, kFlag, value);
    world.wait_until(1, kFlag);
    world.load(1, kX);
    world.p(1, 0, kAnswer, value);
    world.wait_until(0, kAnswer);
    if (i % 100 == 0) world.quiet(0), world.quiet(1);
  }
}

TEST(ShmemLoops, HandshakesWithoutABarrier) {
  constexpr int kCount = 1000;
  World world(2);
  handshakes(world, kCount);
  EXPECT_EQ(text(world.found()), "");
  // One load without a wait.
  world.begin_body(2000);
  world.put(0, 1, 0);
  world.load(1, 0);
  EXPECT_EQ(world.found().size(), 1u);
}

// Processor time of the analysis, in ticks.
std::clock_t cost(int count) {
  World world(2);
  handshakes(world, count);
  const std::clock_t start = std::clock();
  EXPECT_EQ(text(world.found()), "");
  return std::clock() - start;
}

// Each put and each flag is observed, so neither group has pairs to check one by one.
TEST(ShmemLoops, CostGrowsWithTheNumberOfHandshakes) {
  const std::clock_t few = cost(1000), many = cost(8000);
  EXPECT_LT(many, 24 * few + CLOCKS_PER_SEC / 10);
}

}  // namespace
}  // namespace photofinish::shmem_testing
