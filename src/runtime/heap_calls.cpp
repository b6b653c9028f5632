// Intercepts malloc, munmap and similar functions in ranks that are checked, for
// runtime/heap_blocks.h. A library of its own, between the program and whatever allocator it has: each call is passed on
// unchanged, so blocks have the addresses that they have without the tool.
//
// Rule: nothing here allocates, and until the tool follows the heap, a call costs a test and a
// jump.
#include <dlfcn.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "runtime/heap_blocks.h"

#define EXPORTED extern "C" [[gnu::visibility("default")]]

namespace photofinish {
namespace {

constinit std::atomic<const HeapFollower*> g_follower{nullptr};

// The look-up of the allocator's functions may itself allocate. Such blocks come from here, and
// are never freed.
class First {
 public:
  void* take(std::size_t bytes) {
    const std::size_t at = used_.fetch_add((bytes + kGrain - 1) & ~(kGrain - 1));
    return at + bytes <= sizeof bytes_ ? bytes_ + at : nullptr;
  }
  bool holds(const void* block) const {
    return reinterpret_cast<std::uint64_t>(block) - reinterpret_cast<std::uint64_t>(bytes_) <
           sizeof bytes_;
  }
  std::size_t rest(const void* block) const {
    return static_cast<std::size_t>(bytes_ + sizeof bytes_ - static_cast<const char*>(block));
  }

 private:
  static constexpr std::size_t kGrain = 16;
  alignas(kGrain) char bytes_[4096] = {};
  std::atomic<std::size_t> used_{0};
};
constinit First g_first;
thread_local bool t_looks_up = false;

// A function of the allocator; null while it is looked up.
template <class Signature>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}
  Signature* get() {
    if (Signature* known = function_.load(std::memory_order_relaxed)) [[likely]]
      return known;
    return look_up();
  }

 private:
  [[gnu::noinline, gnu::cold]] Signature* look_up() {
    if (t_looks_up) return nullptr;
    t_looks_up = true;
    auto* const found = reinterpret_cast<Signature*>(dlsym(RTLD_NEXT, name_));
    t_looks_up = false;
    function_.store(found, std::memory_order_relaxed);
    return found;
  }
  const char* name_;
  std::atomic<Signature*> function_{nullptr};
};

constinit Next<void*(std::size_t)> g_malloc("malloc");
constinit Next<void*(std::size_t, std::size_t)> g_calloc("calloc");
constinit Next<void*(void*, std::size_t)> g_realloc("realloc");
constinit Next<void(void*)> g_free("free");
constinit Next<void*(std::size_t, std::size_t)> g_memalign("memalign");
constinit Next<void*(std::size_t, std::size_t)> g_aligned_alloc("aligned_alloc");
constinit Next<int(void**, std::size_t, std::size_t)> g_posix_memalign("posix_memalign");
constinit Next<void*(std::size_t)> g_valloc("valloc");
constinit Next<void*(std::size_t)> g_pvalloc("pvalloc");
constinit Next<int(void*, std::size_t)> g_munmap("munmap");

[[gnu::always_inline]] inline void* noted(void* block, std::size_t bytes, CallSite call_site) {
  const HeapFollower* const follower = g_follower.load(std::memory_order_acquire);
  if (follower != nullptr && block != nullptr) follower->allocated(block, bytes, call_site);
  return block;
}
[[gnu::always_inline]] inline void forget(void* block) {
  const HeapFollower* const follower = g_follower.load(std::memory_order_acquire);
  if (follower != nullptr && block != nullptr) follower->freed(block);
}

}  // namespace
}  // namespace photofinish

using namespace photofinish;

EXPORTED void photofinish_follow_heap(const HeapFollower* follower) {
  g_follower.store(follower, std::memory_order_release);
}

EXPORTED void* malloc(std::size_t bytes) {
  auto* const next = g_malloc.get();
  return noted(next != nullptr ? next(bytes) : g_first.take(bytes), bytes, CALL_SITE);
}
EXPORTED void* calloc(std::size_t count, std::size_t size) {
  auto* const next = g_calloc.get();
  return noted(next != nullptr ? next(count, size) : g_first.take(count * size), count * size,
               CALL_SITE);
}
EXPORTED void free(void* block) {
  if (g_first.holds(block)) [[unlikely]]
    return;
  forget(block);
  if (auto* const next = g_free.get()) next(block);
}
EXPORTED void* realloc(void* block, std::size_t bytes) {
  auto* const next = g_realloc.get();
  if (next == nullptr || g_first.holds(block)) [[unlikely]] {
    void* const other = malloc(bytes);
    if (other != nullptr && block != nullptr && g_first.holds(block))
      std::memcpy(other, block, bytes < g_first.rest(block) ? bytes : g_first.rest(block));
    return other;
  }
  forget(block);
  return noted(next(block, bytes), bytes, CALL_SITE);
}
EXPORTED void* memalign(std::size_t alignment, std::size_t bytes) {
  auto* const next = g_memalign.get();
  return next == nullptr ? nullptr : noted(next(alignment, bytes), bytes, CALL_SITE);
}
EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  auto* const next = g_aligned_alloc.get();
  return next == nullptr ? nullptr : noted(next(alignment, bytes), bytes, CALL_SITE);
}
EXPORTED int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  auto* const next = g_posix_memalign.get();
  const int error = next == nullptr ? ENOMEM : next(block, alignment, bytes);
  if (error == 0) noted(*block, bytes, CALL_SITE);
  return error;
}
EXPORTED void* valloc(std::size_t bytes) {
  auto* const next = g_valloc.get();
  return next == nullptr ? nullptr : noted(next(bytes), bytes, CALL_SITE);
}
EXPORTED void* pvalloc(std::size_t bytes) {
  auto* const next = g_pvalloc.get();
  return next == nullptr ? nullptr : noted(next(bytes), bytes, CALL_SITE);
}
EXPORTED int munmap(void* address, std::size_t bytes) {
  const HeapFollower* const follower = g_follower.load(std::memory_order_acquire);
  if (follower != nullptr) follower->unmapped(address, bytes);
  return g_munmap.get()(address, bytes);
}
