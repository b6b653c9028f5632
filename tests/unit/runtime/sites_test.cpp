// Call sites: the same stack has the same number, another address or another caller has another
// one, and a known site costs no stack walk. The sites defined in the trace show what was walked.
#include "runtime/sites.h"

#include <alloca.h>
#include <unwind.h>
#include <atomic>

#include <numeric>
#include <set>
#include <thread>

#include "../trace/recording.h"

// Calls the given function with the given argument. Its unwind table omits what it has pushed, so
// that it seems to be its own caller.
#if defined(__aarch64__)
extern "C" std::uint32_t call_without_table(std::uint32_t (*function)(void*), void* argument);
asm(R"(
.text
.type call_without_table, %function
call_without_table:
.cfi_startproc
  stp x29, x30, [sp, #-16]!
  mov x2, x0
  mov x0, x1
  blr x2
  ldp x29, x30, [sp], #16
  ret
.cfi_endproc
.size call_without_table, .-call_without_table
)");
#endif

// Counts walks: the unwinder is called through here.
namespace {
std::atomic<int> g_walks = 0;
}
extern "C" _Unwind_Reason_Code __real__Unwind_Backtrace(_Unwind_Trace_Fn visit, void* argument);
extern "C" _Unwind_Reason_Code __wrap__Unwind_Backtrace(_Unwind_Trace_Fn visit, void* argument) {
  ++g_walks;
  return __real__Unwind_Backtrace(visit, argument);
}

namespace photofinish {
namespace {

using namespace testing;

class Sites : public ::testing::Test {
 protected:
  TempDir dir_;
  std::unique_ptr<TraceWriter> writer_ = start_recording(dir_.path());
  SiteTable table_{*writer_, 32};
  SiteCache cache_{table_};
};

// For loops whose body must be one call site: prevents unrolling.
[[gnu::noinline]] std::vector<int> times(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Stands for an intercepted function.
[[gnu::noinline]] SiteId intercepted(SiteCache& cache) {
  const SiteId site = cache.find(reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),
                                 reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)));
  asm volatile("");  // prevents a tail call
  return site;
}

[[gnu::noinline]] SiteId middle(SiteCache& cache) {
  const SiteId site = intercepted(cache);
  asm volatile("");
  return site;
}

[[gnu::noinline]] SiteId first_caller(SiteCache& cache) {
  const SiteId site = middle(cache);
  asm volatile("");
  return site;
}

// Like first_caller, with the same frame: only the return address differs.
[[gnu::noinline]] SiteId second_caller(SiteCache& cache) {
  const SiteId site = middle(cache);
  asm volatile("nop");
  return site;
}

[[gnu::noinline]] SiteId at_depth(SiteCache& cache, int depth) {
  const SiteId site = depth == 0 ? intercepted(cache) : at_depth(cache, depth - 1);
  asm volatile("");
  return site;
}

TEST_F(Sites, TheSameLocationIsTheSameNumberAndIsWalkedOnce) {
  std::set<SiteId> seen;
  const int before = g_walks;
  for ([[maybe_unused]] int i : times(1000)) seen.insert(intercepted(cache_));
  EXPECT_EQ(seen.size(), 1u);
  EXPECT_NE(seen.begin()->value, 0u) << "zero is no site";
  EXPECT_EQ(g_walks - before, 1) << "every later call is a hit";
}

TEST_F(Sites, TwoLocationsInOneFunctionAreTwo) {
  const SiteId one = intercepted(cache_);
  const SiteId two = intercepted(cache_);
  EXPECT_NE(one, two);
}

TEST_F(Sites, TwoCallersOfOneFunctionAreTwoAlthoughTheCallIsTheSame) {
  EXPECT_NE(first_caller(cache_), second_caller(cache_));
}

TEST_F(Sites, CallersThatAlternateAtTheSameAddressAreReportedApartWithoutWalking) {
  SiteId (*const callers[])(SiteCache&) = {first_caller, second_caller};
  SiteId sites[2];
  for (int i = 0; i < 2; ++i) sites[i] = callers[i](cache_);
  ASSERT_NE(sites[0], sites[1]);
  // The loop's calls have another call site than those above: two walks, then none.
  SiteId in_loop[2];
  const int before = g_walks;
  for (const int i : times(1000)) {
    const SiteId site = callers[i % 2](cache_);
    if (i < 2) in_loop[i] = site;
    ASSERT_EQ(site, in_loop[i % 2]) << i;
  }
  EXPECT_NE(in_loop[0], in_loop[1]);
  EXPECT_LE(g_walks - before, 2);
}

TEST_F(Sites, EachDepthOfARecursionIsALocationOfItsOwn) {
  std::vector<SiteId> sites;
  for (int round = 0; round < 3; ++round)
    for (int depth = 0; depth < 10; ++depth) {
      const SiteId site = at_depth(cache_, depth);
      if (round == 0) sites.push_back(site);
      EXPECT_EQ(site, sites[static_cast<std::size_t>(depth)])
          << "round " << round << ", depth " << depth;
    }
  EXPECT_EQ(std::set(sites.begin(), sites.end()).size(), 10u);
}

TEST_F(Sites, TheStackPointerDoesNotMatterForTheNumber) {
  std::set<SiteId> seen;
  for (const int i : times(20)) {
    // Moves all frames below; the callers stay the same.
    auto* room = static_cast<volatile char*>(alloca(static_cast<std::size_t>(i % 4) * 256 + 16));
    room[0] = 0;
    seen.insert(first_caller(cache_));
  }
  EXPECT_EQ(seen.size(), 1u);
}

TEST_F(Sites, DeeperThanTheLimitIsTruncated) {
  SiteTable shallow(*writer_, 3);
  SiteCache cache(shallow);
  const SiteId site = at_depth(cache, 10);
  EXPECT_EQ(at_depth(cache, 20), site) << "the three innermost frames are the same";
  writer_->flush();
  const ReadBack read = read_back(dir_.path());
  ASSERT_TRUE(read.definitions.sites.contains(site));
  EXPECT_EQ(read.definitions.sites.at(site).frames.size(), 3u);
}

#if defined(__aarch64__)
TEST_F(Sites, AFrameThatLeadsToItselfIsTheLast) {
  const SiteId site(call_without_table(
      [](void* cache) {
        const SiteId found = middle(*static_cast<SiteCache*>(cache));
        asm volatile("");
        return found.value;
      },
      &cache_));
  writer_->flush();
  EXPECT_EQ(read_back(dir_.path()).definitions.sites.at(site).frames.size(), 3u)
      << "middle, the lambda, and the function itself";
}
#endif

TEST_F(Sites, TasksShareTheTable) {
  SiteCache other(table_);
  SiteId sites[2];
  for (const int i : times(2)) sites[i] = first_caller(i == 0 ? cache_ : other);
  EXPECT_EQ(sites[0], sites[1]) << "two caches, one place";
}

TEST_F(Sites, AreDefinedOnceWithAddressesInTheirModules) {
  SiteId site;
  for ([[maybe_unused]] int i : times(5)) site = first_caller(cache_);
  const Definitions read = read_back(dir_.path()).definitions;
  EXPECT_EQ(read.sites.size(), 1u);
  ASSERT_TRUE(read.sites.contains(site));
  const std::vector<SiteFrame>& frames = read.sites.at(site).frames;
  ASSERT_GE(frames.size(), 3u);
  // The innermost frames are those of this program: middle, first_caller, the test.
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(read.modules.contains(frames[static_cast<std::size_t>(i)].module)) << i;
    EXPECT_EQ(read.modules.at(frames[static_cast<std::size_t>(i)].module).path,
              std::filesystem::read_symlink("/proc/self/exe"));
  }
  const ModuleDefinition& self = read.modules.at(frames[1].module);
  const auto function = reinterpret_cast<std::uint64_t>(&first_caller) - self.base;
  EXPECT_GT(frames[1].address, function);
  EXPECT_LT(frames[1].address, function + 256) << "the return address lies in first_caller";
}

TEST_F(Sites, ThreadsMayAskAtTheSameTime) {
  std::vector<std::thread> threads;
  std::vector<SiteId> sites(8);
  for (std::size_t i = 0; i < sites.size(); ++i)
    threads.emplace_back([&, i] {
      SiteCache cache(table_);
      for (int n = 0; n < 200; ++n) sites[i] = at_depth(cache, n % 5);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(std::set(sites.begin(), sites.end()).size(), 1u);
  const std::size_t defined = read_back(dir_.path()).definitions.sites.size();
  EXPECT_EQ(defined, 5u);
}

TEST_F(Sites, CodeOutsideEveryModuleKeepsItsAddress) {
  const SiteId site = table_.intern({0x10});
  EXPECT_EQ(table_.intern({0x10}), site);
  EXPECT_NE(table_.intern({0x10, 0x20}), site);
  const Definitions read = read_back(dir_.path()).definitions;
  EXPECT_EQ(read.sites.at(site).frames, (std::vector<SiteFrame>{{ModuleId(0), 0x10}}));
}

}  // namespace
}  // namespace photofinish
