#include "runtime/resting.h"

#include <gtest/gtest.h>

#include <atomic>
#include <semaphore>
#include <thread>

namespace photofinish {
namespace {

using std::chrono::milliseconds;

TEST(Resting, IsWaitedForWhileAThreadHasSomethingToDo) {
  EXPECT_TRUE(wait_until_resting(other_threads(), milliseconds(0)));
  std::atomic<bool> works{true}, worked{false};
  std::binary_semaphore end{0};
  std::thread thread([&] {
    while (works) {
    }
    worked = true;
    end.acquire();
  });
  const std::vector<pid_t> threads = other_threads();
  ASSERT_EQ(threads.size(), 1u);
  EXPECT_FALSE(wait_until_resting(threads, milliseconds(5))) << "it runs, or would if it could";
  works = false;
  EXPECT_TRUE(wait_until_resting(threads, std::chrono::minutes(1)));
  EXPECT_TRUE(worked) << "it rests once it has nothing to do";
  end.release();
  thread.join();
  EXPECT_TRUE(wait_until_resting(threads, std::chrono::minutes(1)))
      << "threads that have ended rest, once the system has seen to it";
}

}  // namespace
}  // namespace photofinish
