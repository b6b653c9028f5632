// A trace may be larger than memory: reading it needs memory for one chunk of each task.
#include <fstream>

#include "recording.h"

namespace photofinish {
namespace {

using namespace testing;

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(Streaming, MemoryStaysFlatOverTwoMillionEvents) {
  constexpr std::int64_t kEvents = 2'000'000;
  constexpr std::uint32_t kTasks = 2;
  TempDir dir;
  // In a child, so that the memory of the writer does not count.
  ASSERT_EQ(in_child([&] {
              auto writer = start_recording(dir.path());
              Lane* lanes[kTasks] = {writer->open_lane(task(0)), writer->open_lane(task(1))};
              for (std::int64_t n = 0; n < kEvents; ++n)
                record(*lanes[n % kTasks], event(n, static_cast<std::uint32_t>(n % kTasks)));
              writer->end(RankState::Exited, 0);
            }),
            0);
  auto trace = RankTrace::open(dir.path(), kRank);
  ASSERT_TRUE(trace) << trace.error().message;
  const Event* next = nullptr;
  std::int64_t count = 0, in_order = 0;
  std::size_t early = 0, most = 0;
  while ((*trace)->next(next)) {
    in_order += next->fields[Field::send_tag] == count;
    if (++count == kEvents / 20) early = resident_bytes();
    if (count > kEvents / 20 && count % 50'000 == 0) most = std::max(most, resident_bytes());
  }
  EXPECT_EQ((*trace)->damage(), "");
  EXPECT_EQ(count, kEvents);
  EXPECT_EQ(in_order, kEvents);
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP()
      << "the address sanitizer keeps memory that was given back; only the order was checked";
#endif
  // Twenty times as many events have been read as at the first measurement: more than 60 MB.
  EXPECT_LT(most, early + (8 << 20)) << "memory grows with the trace";
}

}  // namespace
}  // namespace photofinish
