// The program's heap in recorded and replayed ranks: its blocks have the same addresses in both,
// whatever MPI allocates in between. So a program that sorts by address, or prints one, behaves the
// same.
//
// Rule: a separate region serves allocations of the main thread from the start of main on, except
// inside calls of MPI or the tool. An address there depends only on earlier allocations: the region
// has one part for each size class, and reuses the block that was freed last. libc serves all other
// allocations. Invariant: only the main thread uses the lists. Blocks that other threads free wait
// in `returned_`.
//
// Limits: allocations of other threads, and of allocators that map memory themselves, are not
// covered.
#include <dlfcn.h>
#include <malloc.h>
#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "runtime/external_input.h"

#define EXPORTED extern "C" [[gnu::visibility("default")]]

// libc's own functions, under the names that it provides for interposers.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}

namespace photofinish {
namespace {

constexpr std::uint64_t kBase = std::uint64_t{1} << 45;
constexpr int kPartBits = 36;  // address bits per size class
constexpr std::size_t kGrain = 16, kMost = std::size_t{1} << 32;
// Blocks from this size on are returned to the system when freed.
constexpr std::size_t kLarge = 1 << 20;
constexpr std::size_t kPage = 65536;  // a multiple of the system's page size
constexpr std::size_t kStackCall = 4096;
constexpr int kSteps = 8;                     // size classes per power of two
constexpr unsigned kParts = 8 + kSteps * 26;  // up to 128 bytes in grains, then in steps

unsigned part_of(std::size_t bytes) {
  if (bytes <= 8 * kGrain)
    return static_cast<unsigned>((bytes + kGrain - 1) / kGrain) - (bytes != 0);
  const int power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power+1)
  return static_cast<unsigned>(
      8 + (power - 7) * kSteps +
      static_cast<int>((bytes - 1 - (std::size_t{1} << power)) >> (power - 3)));
}
std::size_t size_of(unsigned part) {
  if (part < 8) return (part + 1) * kGrain;
  const unsigned power = 7 + (part - 8) / kSteps, step = (part - 8) % kSteps;
  return (std::size_t{1} << power) + ((step + 1) * (std::size_t{1} << (power - 3)));
}

class Heap {
 public:
  bool holds(const void* block) const {
    return reinterpret_cast<std::uint64_t>(block) - kBase < std::uint64_t{kParts} << kPartBits;
  }
  static std::size_t bytes_of(const void* block) {
    return size_of(
        static_cast<unsigned>((reinterpret_cast<std::uint64_t>(block) - kBase) >> kPartBits));
  }

  // Called before main. If the region cannot be reserved, libc serves everything. The addresses are
  // only reserved: a part becomes accessible as it grows, which keeps core dumps small.
  void open() {
    const std::size_t bytes = std::size_t{kParts} << kPartBits;
    void* region = mmap(reinterpret_cast<void*>(kBase), bytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (region != reinterpret_cast<void*>(kBase)) {
      if (region != MAP_FAILED) munmap(region, bytes);
      return;
    }
    is_program_ = reinterpret_cast<bool (*)()>(dlsym(RTLD_DEFAULT, kProgramFunction));
    if (is_program_ != nullptr) thread_ = __builtin_thread_pointer();
  }

  bool serves() const { return thread_ == __builtin_thread_pointer() && is_program_(); }

  // Null if no size class fits.
  void* take(std::size_t bytes) {
    if (bytes > kMost) return nullptr;
    if (returned_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      take_back();
    const unsigned number = part_of(bytes);
    Part& part = parts_[number];
    if (Block* block = part.free) {
      part.free = block->next;
      return block;
    }
    const std::size_t size = size_of(number);
    if (part.used + size > part.ready && !grow(number, part.used + size)) return nullptr;
    void* block = reinterpret_cast<void*>(kBase + (std::uint64_t{number} << kPartBits) + part.used);
    part.used += size;
    return block;
  }

  void give(void* memory) {
    auto* const block = static_cast<Block*>(memory);
    if (thread_ == __builtin_thread_pointer()) return put(block);
    block->next = returned_.load(std::memory_order_relaxed);
    while (!returned_.compare_exchange_weak(block->next, block, std::memory_order_release)) {
    }
  }

 private:
  struct Block {
    Block* next;
  };
  struct Part {
    Block* free = nullptr;
    std::size_t used = 0, ready = 0;
  };
  bool grow(unsigned number, std::size_t bytes) {
    Part& part = parts_[number];
    const std::size_t ready = (bytes + kLarge - 1) / kLarge * kLarge;
    if (ready > std::size_t{1} << kPartBits) return false;
    if (mprotect(reinterpret_cast<void*>(kBase + (std::uint64_t{number} << kPartBits) + part.ready),
                 ready - part.ready, PROT_READ | PROT_WRITE) != 0)
      return false;
    part.ready = ready;
    return true;
  }
  void put(Block* block) {
    const auto number =
        static_cast<unsigned>((reinterpret_cast<std::uint64_t>(block) - kBase) >> kPartBits);
    if (size_of(number) >= kLarge) madvise(block, size_of(number) & ~(kPage - 1), MADV_DONTNEED);
    block->next = parts_[number].free;
    parts_[number].free = block;
  }
  void take_back() {
    for (Block* block = returned_.exchange(nullptr, std::memory_order_acquire); block != nullptr;) {
      Block* next = block->next;
      put(block);
      block = next;
    }
  }

  void* thread_ = nullptr;  // thread pointer of the main thread; null: not open
  bool (*is_program_)() = nullptr;
  Part parts_[kParts];
  std::atomic<Block*> returned_{nullptr};
};

constinit Heap g_heap;

void* allocate(std::size_t bytes) {
  if (g_heap.serves())
    if (void* block = g_heap.take(bytes)) return block;
  return __libc_malloc(bytes);
}

// Blocks of a power-of-two size are aligned to it.
void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment <= kGrain) return allocate(bytes);
  const std::size_t size = std::bit_ceil(bytes > alignment ? bytes : alignment);
  if (std::has_single_bit(alignment) && g_heap.serves())
    if (void* block = g_heap.take(size)) return block;
  return __libc_memalign(alignment, bytes);
}

int (*g_main)(int, char**, char**);
int begin(int argc, char** argv, char** environment) {
  g_heap.open();
  set_output_buffer();
  return g_main(argc, argv, environment);
}

}  // namespace
}  // namespace photofinish

using namespace photofinish;

EXPORTED int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv,
                               void (*init)(), void (*finish)(), void (*loader)(), void* stack) {
  using Start =
      int(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  g_main = main;
  return reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"))(begin, argc, argv, init,
                                                                         finish, loader, stack);
}

// A debugger calls malloc for the strings of an expression. Its call returns to an address on the
// stack. libc serves it, so that later blocks of the program stay where they were.
EXPORTED void* malloc(std::size_t bytes) {
  const auto caller = reinterpret_cast<std::uint64_t>(__builtin_return_address(0));
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (caller - frame < kStackCall) [[unlikely]]
    return __libc_malloc(bytes);
  return allocate(bytes);
}

EXPORTED void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  // Large blocks are zero, except for the link: put() returned their pages to the system.
  if (g_heap.serves())
    if (void* block = g_heap.take(bytes))
      return std::memset(block, 0, Heap::bytes_of(block) < kLarge ? bytes : kGrain);
  return __libc_calloc(count, size);
}

EXPORTED void free(void* block) {
  if (block == nullptr) return;
  const int error = errno;
  if (g_heap.holds(block))
    g_heap.give(block);
  else
    __libc_free(block);
  errno = error;
}

EXPORTED void* realloc(void* block, std::size_t bytes) {
  if (block == nullptr) return malloc(bytes);
  if (!g_heap.holds(block)) return __libc_realloc(block, bytes);
  if (bytes == 0) {
    free(block);
    return nullptr;
  }
  const std::size_t before = Heap::bytes_of(block);
  if (bytes <= before && bytes > before / 2) return block;
  void* other = allocate(bytes);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, before < bytes ? before : bytes);
  free(block);
  return other;
}

EXPORTED void* memalign(std::size_t alignment, std::size_t bytes) {
  return allocate_aligned(alignment, bytes);
}
EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocate_aligned(alignment, bytes);
}
EXPORTED int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  if (!std::has_single_bit(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* made = allocate_aligned(alignment, bytes);
  if (made == nullptr) return ENOMEM;
  *block = made;
  return 0;
}
EXPORTED void* valloc(std::size_t bytes) { return allocate_aligned(kPage, bytes); }
EXPORTED void* pvalloc(std::size_t bytes) {
  return allocate_aligned(kPage, (bytes + kPage - 1) / kPage * kPage);
}
EXPORTED std::size_t malloc_usable_size(void* block) {
  static auto* const real =
      reinterpret_cast<std::size_t (*)(void*)>(dlsym(RTLD_NEXT, "malloc_usable_size"));
  if (block == nullptr) return 0;
  return g_heap.holds(block) ? Heap::bytes_of(block) : real(block);
}
