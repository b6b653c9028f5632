#include "runtime/arena.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/fault.h"

namespace photofinish::arena {
namespace {

// A usually unused address, so that a recorded rank and its replay have the same one.
constexpr std::uint64_t kWanted = std::uint64_t{3} << 44;
constexpr std::size_t kMostRegion = std::size_t{1} << 36, kLeastRegion = std::size_t{1} << 24;
constexpr std::size_t kStep = std::size_t{1} << 20;  // made usable at once
constexpr std::size_t kPage = 4096;
// Blocks from this size on are returned to the system.
constexpr std::size_t kLarge = std::size_t{1} << 20;
constexpr std::size_t kKeptLarge = std::size_t{1} << 26;  // if more than this many bytes are free
constexpr int kSteps = 8;                                 // size classes per power of two
constexpr unsigned kSizes = 8 + kSteps * 29;  // up to 128 bytes in steps of 16, then up to 2^36

constexpr unsigned size_number(std::size_t bytes) {
  if (bytes <= 128) return static_cast<unsigned>((bytes + 15) / 16) - (bytes != 0);
  const int power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power+1)
  return static_cast<unsigned>(
      8 + (power - 7) * kSteps +
      static_cast<int>((bytes - 1 - (std::size_t{1} << power)) >> (power - 3)));
}
constexpr std::size_t size_of(unsigned number) {
  if (number < 8) return (number + 1) * 16;
  const unsigned power = 7 + (number - 8) / kSteps, step = (number - 8) % kSteps;
  return (std::size_t{1} << power) + ((step + 1) * (std::size_t{1} << (power - 3)));
}
static_assert(size_number(1) == 0 && size_number(129) == 8 && size_of(size_number(1000)) >= 1000);

// Precedes each block.
struct Header {
  std::uint32_t size;   // size class
  std::uint32_t spare;  // bytes from the start of the block to the header, for alignment
  std::uint64_t kept;   // of a free large block: whether its memory is still mapped
};
static_assert(sizeof(Header) == kAlignment);

struct Free {
  Header header;
  Free* next;
};
static_assert(sizeof(Free) <= size_of(size_number(sizeof(Header) + 1)));

class SpinLock {
 public:
  void lock() {
    while (taken_.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  void unlock() { taken_.clear(std::memory_order_release); }

 private:
  std::atomic_flag taken_;
};

struct List {
  SpinLock lock;
  Free* first = nullptr;
};

constinit List g_lists[kSizes];
constinit SpinLock g_region_lock;
constinit std::atomic<std::uint64_t> g_begin{0}, g_end{0};
// Offsets in the region: first unallocated byte; end of the usable part.
constinit std::uint64_t g_next = 0, g_usable = 0;
constinit bool g_has_tried = false;
constinit std::atomic<std::size_t> g_kept_large{0};

// Small blocks that a thread has freed, for reuse by the thread without a lock. Returned when the
// thread ends.
constexpr unsigned kCachedSizes = 8 + kSteps * 3;  // up to 1024 bytes
constexpr std::uint32_t kCachedBlocks = 64;        // per size class
struct Cache {
  Free* first[kCachedSizes];
  std::uint32_t blocks[kCachedSizes];
  bool is_known;  // registered with g_cache_key
};
constinit thread_local Cache t_cache{};
pthread_key_t g_cache_key;

class Hold {
 public:
  explicit Hold(SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Hold() { lock_.unlock(); }

 private:
  SpinLock& lock_;
};

// The thread that held a lock does not exist in the child, and its list may be inconsistent. Free
// blocks are lost.
void start_afresh_in_child() {
  for (List& list : g_lists) {
    list.lock.unlock();
    list.first = nullptr;
  }
  g_region_lock.unlock();
}

// At load time, since another thread may fork while one allocates its first block.
[[gnu::constructor]] void expect_forks() {
  pthread_atfork(nullptr, nullptr, start_afresh_in_child);
}

void give_back(Free* block, unsigned number) {
  List& list = g_lists[number];
  const Hold hold(list.lock);
  block->next = list.first;
  list.first = block;
}

void empty_cache(void* cache) {
  auto& of = *static_cast<Cache*>(cache);
  of.is_known = false;
  for (unsigned number = 0; number < kCachedSizes; ++number) {
    of.blocks[number] = 0;
    while (Free* const block = of.first[number]) {
      of.first[number] = block->next;
      give_back(block, number);
    }
  }
}

void reserve() {
  g_has_tried = true;
  if (pthread_key_create(&g_cache_key, empty_cache) != 0) return;
  std::size_t most = kMostRegion;
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    most = std::min<std::size_t>(most, std::bit_floor(std::max<rlim_t>(limit.rlim_cur / 4, 1)));
  for (std::size_t size = most; size >= kLeastRegion; size /= 2)
    for (void* const wanted : {reinterpret_cast<void*>(kWanted), static_cast<void*>(nullptr)}) {
      const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                        (wanted != nullptr ? MAP_FIXED_NOREPLACE : 0);
      void* const got = mmap(wanted, size, PROT_NONE, flags, -1, 0);
      if (got == MAP_FAILED) continue;
      if (wanted != nullptr && got != wanted) {
        munmap(got, size);
        continue;
      }
      g_next = g_usable = reinterpret_cast<std::uint64_t>(got);
      g_end.store(g_next + size, std::memory_order_relaxed);
      g_begin.store(g_next, std::memory_order_release);
      return;
    }
}

// A block that was never used. Null: out of memory.
Free* fresh(std::size_t bytes) {
  const Hold hold(g_region_lock);
  if (!g_has_tried) reserve();
  const std::uint64_t end = g_end.load(std::memory_order_relaxed);
  std::uint64_t begin = g_next;
  if (bytes >= kLarge) begin = (begin + kPage - 1) / kPage * kPage;
  if (bytes > end - std::min(begin, end)) return nullptr;
  if (begin + bytes > g_usable) {
    const std::uint64_t until =
        std::min(end, std::max((begin + bytes + kPage - 1) / kPage * kPage, g_usable + kStep));
    if (mprotect(reinterpret_cast<void*>(g_usable), until - g_usable, PROT_READ | PROT_WRITE) != 0)
      return nullptr;
    g_usable = until;
  }
  g_next = begin + bytes;
  return reinterpret_cast<Free*>(begin);
}

void* take(unsigned number) {
  if (number < kCachedSizes)
    if (Free* const block = t_cache.first[number]) {
      t_cache.first[number] = block->next;
      --t_cache.blocks[number];
      return &block->header + 1;
    }
  List& list = g_lists[number];
  Free* block = nullptr;
  {
    const Hold hold(list.lock);
    block = list.first;
    if (block != nullptr) list.first = block->next;
  }
  const std::size_t bytes = size_of(number);
  if (block == nullptr)
    block = fresh(bytes);
  else if (block->header.kept != 0)
    g_kept_large.fetch_sub(bytes, std::memory_order_relaxed);
  if (block == nullptr) return nullptr;
  block->header = {number, 0, 0};
  return &block->header + 1;
}

Header& header_of(void* block) { return *(static_cast<Header*>(block) - 1); }

std::size_t room_of(void* block) {
  const Header& header = header_of(block);
  return size_of(header.size) - sizeof(Header) - header.spare;
}

}  // namespace

bool owns(const void* block) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(block);
  const std::uint64_t begin = g_begin.load(std::memory_order_relaxed);
  return begin != 0 && address - begin < g_end.load(std::memory_order_relaxed) - begin;
}

bool exists() noexcept { return g_begin.load(std::memory_order_relaxed) != 0; }

std::size_t used() noexcept {
  const Hold hold(g_region_lock);
  return g_usable - g_begin.load(std::memory_order_relaxed);
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
  if (g_memory_fault.strikes()) [[unlikely]]
    return nullptr;
  alignment = std::max(alignment, kAlignment);
  const std::size_t spare = alignment - kAlignment;
  if (bytes > kMostRegion - spare - sizeof(Header)) return nullptr;
  // At least one byte, since a free block needs space for a pointer after its header.
  void* const block = take(size_number(std::max<std::size_t>(bytes, 1) + spare + sizeof(Header)));
  if (block == nullptr || spare == 0) return block;
  const auto begin = reinterpret_cast<std::uint64_t>(block);
  const std::uint64_t aligned = (begin + alignment - 1) / alignment * alignment;
  if (aligned == begin) return block;
  const Header header{header_of(block).size, static_cast<std::uint32_t>(aligned - begin), 0};
  void* const shifted = reinterpret_cast<void*>(aligned);
  header_of(shifted) = header;
  return shifted;
}

void* resize(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return allocate(bytes);
  const std::size_t room = room_of(block);
  if (bytes <= room && bytes >= room / 2) return block;
  void* const other = allocate(bytes);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, std::min(room, bytes));
  release(block);
  return other;
}

void release(void* block) noexcept {
  if (block == nullptr) return;
  const Header header = header_of(block);
  auto* const whole =
      reinterpret_cast<Free*>(reinterpret_cast<std::uint64_t>(&header_of(block)) - header.spare);
  const std::size_t bytes = size_of(header.size);
  bool kept = false;
  if (bytes >= kLarge) {
    kept = g_kept_large.fetch_add(bytes, std::memory_order_relaxed) + bytes <= kKeptLarge;
    if (!kept) {
      g_kept_large.fetch_sub(bytes, std::memory_order_relaxed);
      const std::uint64_t begin =
          (reinterpret_cast<std::uint64_t>(whole) + sizeof(Free) + kPage - 1) / kPage * kPage;
      const std::uint64_t end = (reinterpret_cast<std::uint64_t>(whole) + bytes) / kPage * kPage;
      const int error = errno;
      madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
      errno = error;
    }
  }
  whole->header = {header.size, 0, kept ? 1u : 0u};
  if (header.size >= kCachedSizes || t_cache.blocks[header.size] == kCachedBlocks)
    return give_back(whole, header.size);
  if (!t_cache.is_known) [[unlikely]] {
    t_cache.is_known = true;
    pthread_setspecific(g_cache_key, &t_cache);
  }
  whole->next = t_cache.first[header.size];
  t_cache.first[header.size] = whole;
  ++t_cache.blocks[header.size];
}

}  // namespace photofinish::arena
