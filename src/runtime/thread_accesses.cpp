#include "runtime/thread_accesses.h"

#include <algorithm>
#include <utility>

#include "runtime/failure.h"
#include "runtime/tasks.h"

namespace photofinish {
namespace {

struct Registry {
  std::mutex mutex;  // acquired before the mutex of an entry in `shared`
  std::vector<ThreadAccesses*> shared;
  std::vector<AccessRow> left;  // rows of threads that have ended
};

Registry& registry() {
  // Never deleted: threads may use it until the process ends.
  static auto* const all = new Registry;
  return *all;
}

std::atomic<std::uint32_t> g_threads{0};  // number of threads that the program has created
std::uint32_t g_threads_before = 0;
bool g_others_may_call = true;
thread_local bool t_has_started = false;  // this thread has called MPI_Init
thread_local ThreadAccesses* t_unshared = nullptr;

bool calls_alone() {
  return t_has_started && (!g_others_may_call || g_threads.load(std::memory_order_relaxed) == 0);
}

}  // namespace

std::atomic<bool> ThreadAccesses::any_{false};

ThreadAccesses::ThreadAccesses(SiteCache& sites) : buffer_(sites), shared_(false) {
  if (calls_alone())
    t_unshared = this;
  else if (!Tasks::active())  // otherwise each task records its own rows when it synchronizes
    share();
}

ThreadAccesses::~ThreadAccesses() {
  if (t_unshared == this) t_unshared = nullptr;
  if (!shared_) return;
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  std::erase(all.shared, this);
  guarded([&] {
    if (buffer_.empty()) return;
    const std::vector<AccessRow>& rows = buffer_.take();
    all.left.insert(all.left.end(), rows.begin(), rows.end());
  });
}

void ThreadAccesses::share() {
  buffer_.keep_bits();
  shared_ = true;
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  all.shared.push_back(this);
  any_.store(true, std::memory_order_relaxed);
}

std::vector<AccessRow> ThreadAccesses::take_all() {
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  std::vector<AccessRow> taken = std::exchange(all.left, {});
  for (ThreadAccesses* one : all.shared) {
    const std::lock_guard hold_one(one->mutex_);
    if (one->buffer_.empty()) continue;
    std::vector<AccessRow>& rows = one->buffer_.take();
    taken.insert(taken.end(), rows.begin(), rows.end());
    rows.clear();
  }
  return taken;
}

// Threads that MPI creates during MPI_Init do not count.
void ThreadAccesses::before_start() {
  g_threads_before = g_threads.load(std::memory_order_relaxed);
}

void ThreadAccesses::started(bool others_may_call) {
  g_threads.store(g_threads_before, std::memory_order_relaxed);
  g_others_may_call = others_may_call;
  t_has_started = true;
}

void ThreadAccesses::before_thread() {
  g_threads.fetch_add(1, std::memory_order_relaxed);
  if (g_others_may_call && t_unshared != nullptr) std::exchange(t_unshared, nullptr)->share();
}

}  // namespace photofinish
