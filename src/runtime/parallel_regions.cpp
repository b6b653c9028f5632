#include "runtime/parallel_regions.h"

#include <map>
#include <mutex>
#include <utility>

#include "photofinish/runtime_abi.h"
#include "runtime/reach.h"

namespace photofinish {
namespace {

struct Region {
  bool communicates = false;
  std::uint32_t executions = 0;
  std::uint32_t running = 0;  // executions that have not ended
  std::uint32_t watched = 0;  // executions for which all memory is watched
};

struct Registry {
  std::mutex mutex;
  std::map<const void*, Region> regions;  // regions that may communicate, by code address
  bool has_threads = false;
};

Registry& registry() {
  static auto* const all = new Registry;  // never deleted: threads may outlive main
  return *all;
}

thread_local std::uint64_t t_announced = PHOTOFINISH_REGION_UNKNOWN;

void watch(bool on) {
  if (Reach* reach = Reach::get()) reach->watch_everything(on);
}

}  // namespace

std::atomic<std::uint32_t> ParallelRegions::running_{0};

void ParallelRegions::announce(std::uint64_t kind) { t_announced = kind; }

void ParallelRegions::begin(const void* code) {
  const std::uint64_t kind = std::exchange(t_announced, PHOTOFINISH_REGION_UNKNOWN);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (kind == PHOTOFINISH_REGION_QUIET && !all.regions.contains(code)) return;
  Region& region = all.regions[code];
  region.communicates |= kind == PHOTOFINISH_REGION_COMMUNICATES;
  running_.fetch_add(1, std::memory_order_relaxed);
  ++region.running;
  if (!region.communicates && region.executions++ >= kLearned) return;
  ++region.watched;
  watch(true);
}

void ParallelRegions::end(const void* code) {
  if (running_.load(std::memory_order_relaxed) == 0) return;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.regions.find(code);
  if (found == all.regions.end() || found->second.running == 0) return;
  running_.fetch_sub(1, std::memory_order_relaxed);
  Region& region = found->second;
  --region.running;
  while (region.watched > region.running) {
    --region.watched;
    watch(false);
  }
}

void ParallelRegions::begin_thread() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (!std::exchange(all.has_threads, true)) watch(true);
}

void ParallelRegions::note_communication() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  for (auto& [code, region] : all.regions) {
    if (region.running == 0) continue;
    region.communicates = true;
    while (region.watched < region.running) {
      ++region.watched;
      watch(true);
    }
  }
}

}  // namespace photofinish
