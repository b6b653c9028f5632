// Two heaps, with the same algorithm: blocks of 4 sizes for each power of two, a list of free
// blocks for each size, and a limit that grows. A heap's state is in its home's segment, so that
// each thread can allocate and free; a lock protects it. A block has a header before it, in the
// home's segment: its size class, the next free block, and how often it was freed. The tool orders
// the uses of a block by that number.
//
// Limit: free blocks are not merged. A program that allocates ever larger blocks does not reuse the
// smaller ones.
#include "upc_runtime/heap.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

#include "upc_runtime/api.h"
#include "upc_runtime/segment.h"

extern "C" {
// Of the block that this thread allocated or freed last: how often it has been freed.
__attribute__((visibility("default"))) std::uint64_t __upc_block_turn = 0;
}

namespace photofinish::upc {
namespace {

constexpr std::uint64_t kDefaultBytes = 64 << 20;
constexpr std::uint64_t kLarge = 1 << 20;  // blocks that start at multiples of 4096
constexpr std::uint64_t kClasses = 160;

struct State {
  std::uint64_t lock, next, end;
  std::uint64_t free[kClasses];  // offset of the first free block; 0: none
};
constexpr std::uint64_t kGlobalState = 4096, kLocalState = 8192;
static_assert(sizeof(State) <= 4096);

struct Header {
  std::uint64_t size_class, next_free, freed;
};

// Of a block: where its header has a field.
constexpr std::uint64_t next_free_of(std::uint64_t block) {
  return block - sizeof(Header) + offsetof(Header, next_free);
}
constexpr std::uint64_t freed_of(std::uint64_t block) {
  return block - sizeof(Header) + offsetof(Header, freed);
}

std::uint64_t global_begin, local_begin, local_end;

std::uint64_t class_size(std::uint64_t size_class) {
  return ((4 + size_class % 4) << (size_class / 4)) * 64;
}

std::uint64_t class_of(std::uint64_t bytes) {
  std::uint64_t size_class = 0;
  while (size_class < kClasses && class_size(size_class) < bytes) ++size_class;
  return size_class;
}

class Heap {
 public:
  Heap(std::uint64_t home, std::uint64_t state) : home_(home), state_(state) {}

  void open(std::uint64_t begin, std::uint64_t end) {
    State state{};
    state.next = begin;
    state.end = end;
    std::memcpy(local(state_), &state, sizeof state);
  }

  std::uint64_t allocate(std::uint64_t bytes) {
    const std::uint64_t size_class = class_of(bytes);
    if (size_class == kClasses) return 0;
    lock();
    std::uint64_t block = read(free_list(size_class));
    if (block != 0)
      write(free_list(size_class), read(next_free_of(block)));
    else
      block = extend(size_class);
    __upc_block_turn = block != 0 ? read(freed_of(block)) : 0;
    unlock();
    return block;
  }

  void release(std::uint64_t block) {
    lock();
    const std::uint64_t size_class = read(block - sizeof(Header));
    if (size_class >= kClasses) die("upc_free: the pointer is not one that an allocation returned");
    write(next_free_of(block), read(free_list(size_class)));
    __upc_block_turn = read(freed_of(block)) + 1;
    write(freed_of(block), __upc_block_turn);
    write(free_list(size_class), block);
    unlock();
  }

 private:
  std::uint64_t extend(std::uint64_t size_class) {
    const std::uint64_t size = class_size(size_class), alignment = size >= kLarge ? 4096 : 64;
    const std::uint64_t next = read(state_ + offsetof(State, next));
    const std::uint64_t block = (next + sizeof(Header) + alignment - 1) / alignment * alignment;
    if (block + size > read(state_ + offsetof(State, end))) return 0;
    write(state_ + offsetof(State, next), block + size);
    write(block - sizeof(Header), size_class);
    write(freed_of(block), 0);
    return block;
  }

  std::uint64_t free_list(std::uint64_t size_class) const {
    return state_ + offsetof(State, free) + size_class * 8;
  }
  Position at(std::uint64_t offset) const { return {.thread = home_, .offset = offset}; }

  std::uint64_t read(std::uint64_t offset) const {
    std::uint64_t value = 0;
    get(&value, at(offset), sizeof value);
    return value;
  }
  void write(std::uint64_t offset, std::uint64_t value) const {
    put(at(offset), &value, sizeof value);
  }

  void lock() const {
    while (compare_and_swap(at(state_), 0, 1, 8) != 0) relax();
    fence();
  }
  void unlock() const {
    const std::uint64_t zero = 0;
    fence();
    atomic_write(at(state_), &zero, sizeof zero);
  }

  std::uint64_t home_, state_;
};

Heap global_heap() { return {0, kGlobalState}; }
Heap local_heap(std::uint64_t thread) { return {thread, kLocalState}; }

// UPC_SHARED_HEAP_SIZE=512MB; without a unit: MB, as Berkeley UPC.
std::uint64_t heap_bytes() {
  const char* text = std::getenv("UPC_SHARED_HEAP_SIZE");
  if (text == nullptr || *text == 0) return kDefaultBytes;
  char* unit = nullptr;
  const double number = std::strtod(text, &unit);
  double factor = 1 << 20;
  if (*unit == 'k' || *unit == 'K') factor = 1 << 10;
  if (*unit == 'g' || *unit == 'G') factor = 1 << 30;
  if (unit == text || number <= 0 || std::string("kKmMgG").find(*unit) == std::string::npos)
    die(std::string("UPC_SHARED_HEAP_SIZE=") + text + " is not a size: write it as 512MB");
  return static_cast<std::uint64_t>(number * factor);
}

std::uint64_t bytes_per_thread(std::uint64_t blocks, std::uint64_t bytes) {
  return (blocks + threads() - 1) / threads() * bytes;
}

std::uint64_t allocate_global(std::uint64_t blocks, std::uint64_t bytes) {
  return blocks == 0 || bytes == 0 ? 0 : global_heap().allocate(bytes_per_thread(blocks, bytes));
}

}  // namespace

std::uint64_t place_heaps(std::uint64_t first) {
  const std::uint64_t bytes = (heap_bytes() + 4095) / 4096 * 4096;
  global_begin = (first + 4095) / 4096 * 4096;
  local_begin = global_begin + bytes;
  local_end = local_begin + bytes;
  return local_end;
}

void open_heaps() {
  if (my_thread() == 0) global_heap().open(global_begin, local_begin);
  local_heap(my_thread()).open(local_begin, local_end);
}

HeapBounds heap_bounds() { return {global_begin, local_begin, local_end}; }

Position allocate_local(std::uint64_t bytes) {
  return {.thread = my_thread(),
          .offset = bytes == 0 ? 0 : local_heap(my_thread()).allocate(bytes)};
}

void release(const Position& memory) {
  if (memory.is_null()) return;
  if (memory.offset < global_begin || memory.offset >= local_end)
    die("upc_free: the pointer is not one that an allocation returned");
  (memory.offset < local_begin ? global_heap() : local_heap(memory.thread)).release(memory.offset);
}

}  // namespace photofinish::upc

using namespace photofinish::upc;

UPC_API Generic upc_alloc(std::size_t bytes) { return generic_pointer(allocate_local(bytes)); }

UPC_API Generic upc_global_alloc(std::size_t blocks, std::size_t bytes) {
  return generic_pointer({.offset = allocate_global(blocks, bytes)});
}

UPC_API Generic upc_all_alloc(std::size_t blocks, std::size_t bytes) {
  return generic_pointer(
      {.offset = broadcast_from_zero(my_thread() == 0 ? allocate_global(blocks, bytes) : 0)});
}

UPC_API void upc_free(Generic pointer) { release(position_of(pointer)); }

UPC_API void upc_all_free(Generic pointer) {
  fence();
  MPI_Barrier(communicator());
  if (my_thread() == 0) release(position_of(pointer));
}
