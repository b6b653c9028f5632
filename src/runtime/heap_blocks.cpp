#include "runtime/heap_blocks.h"

#include <dlfcn.h>
#include <malloc.h>

#include <cerrno>

#include "base/ticks.h"
#include "runtime/failure.h"
#include "runtime/recorder.h"
#include "runtime/tasks.h"

namespace photofinish {
namespace {

HeapBlocks* g_blocks;
bool (*g_is_program)();
// The thread is in a function below, and an allocation in it is not the program's.
thread_local bool t_busy = false;

// What free and successful allocations leave as it is.
class KeptErrno {
 public:
  ~KeptErrno() { errno = value_; }

 private:
  int value_ = errno;
};

// Calls `act` for the recorder, unless the program is not the caller.
template <class Act>
void note(Act&& act) {
  Recorder* const recorder = Recorder::get();
  if (recorder == nullptr || t_busy) return;
  const KeptErrno kept;
  t_busy = true;
  guarded([&] { act(*recorder); });
  t_busy = false;
}

}  // namespace

constinit std::array<std::atomic<bool>, HeapBlocks::kPages> HeapBlocks::communicated_{};

void HeapBlocks::give_back(void* memory, std::size_t bytes) {
  constexpr std::uint64_t kPage = 1 << 12, kMostPages = 256;
  const auto begin = reinterpret_cast<std::uint64_t>(memory), end = begin + bytes;
  bool found = bytes > kMostPages * kPage;
  for (std::uint64_t page = begin; !found && page < end + kPage; page += kPage)
    found = communicated(page).load(std::memory_order_relaxed);
  const KeptErrno kept;
  if (found) Tasks::give_back(memory, static_cast<char*>(memory) + bytes);
}

void HeapBlocks::start(bool (*is_program)()) {
  static const HeapFollower follower = {
      .allocated =
          [](void* block, std::size_t bytes, CallSite call_site) {
            if (g_blocks->noted_at(call_site).load(std::memory_order_relaxed) < kMostOfPlace &&
                g_is_program()) [[unlikely]]
              note([&](Recorder& recorder) {
                g_blocks->allocated(recorder, block, bytes, call_site);
              });
          },
      .freed =
          [](void* block) {
            const auto address = reinterpret_cast<std::uint64_t>(block);
            if (g_blocks->noted_near(address).load(std::memory_order_relaxed) != 0) [[unlikely]]
              note([&](Recorder& recorder) { g_blocks->freed(recorder, block); });
            if (Tasks::active() && g_is_program()) [[unlikely]]
              give_back(block, malloc_usable_size(block));
          },
      .unmapped =
          [](void* address, std::size_t bytes) {
            if (Tasks::active() && g_is_program()) give_back(address, bytes);
          }};
  auto* const follow =
      reinterpret_cast<void (*)(const HeapFollower*)>(dlsym(RTLD_DEFAULT, kFollowHeapFunction));
  if (follow == nullptr) return;
  g_blocks = new HeapBlocks;
  g_is_program = is_program;
  follow(&follower);
}

void HeapBlocks::allocated(Recorder& recorder, void* block, std::size_t bytes, CallSite call_site) {
  Task* const task = Recorder::known_task();
  if (task == nullptr || last_.load(std::memory_order_relaxed) >= kMost) return;
  const SiteId site = task->sites.find(call_site.pc, call_site.frame);
  const auto address = reinterpret_cast<std::uint64_t>(block);
  std::lock_guard lock(mutex_);
  noted_at(call_site).fetch_add(1, std::memory_order_relaxed);
  const BlockDefinition definition{.id = BlockId(++last_),
                                   .address = address,
                                   .bytes = bytes,
                                   .site = site,
                                   .since = recorder.time(ticks())};
  recorder.writer().define(DefinitionKind::Block, definition);
  if (live_.insert_or_assign(address, definition).second)
    noted_near(address).fetch_add(1, std::memory_order_relaxed);
}

void HeapBlocks::freed(Recorder& recorder, void* block) {
  std::lock_guard lock(mutex_);
  const auto known = live_.find(reinterpret_cast<std::uint64_t>(block));
  if (known == live_.end()) return;
  known->second.until = recorder.time(ticks());
  recorder.writer().define(DefinitionKind::Block, known->second);
  live_.erase(known);
  noted_near(reinterpret_cast<std::uint64_t>(block)).fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace photofinish
