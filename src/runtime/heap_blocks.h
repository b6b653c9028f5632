// Where the program allocated the blocks of its heap, so that findings can name them: "block of
// 4000 bytes allocated in main halo.c:12".
//
// heap_calls.cpp, a library of its own, intercepts malloc and similar functions. It passes each
// call on to the program's allocator and reports the block here. From the start of the recording
// on, a block becomes a definition in the trace, with its site and the time from which it exists;
// when it is freed, the definition is repeated with the time until which it existed.
//
// If the program has threads, the next owner of freed memory may be another one, which is no race.
// So freed memory from which a thread communicated is also recorded as given back (tasks.h). Other
// memory is, where the pass reports its accesses (frontend/mpi/accesses.cpp).
//
// Invariant: a definition without an end is a block that the program still has. So the blocks of
// an allocation that is not noted never appear to be part of an older one.
//
// Limits: blocks from before MPI_Init or from threads that the tool does not follow, all but the
// first kMostOfPlace of a place in the program, and blocks of allocators that map memory
// themselves.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "model/definitions.h"
#include "runtime/call_site.h"

namespace photofinish {

class Recorder;

// What heap_calls.cpp calls, in any thread.
struct HeapFollower {
  void (*allocated)(void* block, std::size_t bytes, CallSite call_site);
  void (*freed)(void* block);                          // before the block is freed
  void (*unmapped)(void* address, std::size_t bytes);  // before that
};
// void (const HeapFollower*): in heap_calls.cpp.
inline constexpr char kFollowHeapFunction[] = "photofinish_follow_heap";

class HeapBlocks {
 public:
  static constexpr std::uint32_t kMost = 1 << 14;  // notes of a rank
  static constexpr std::uint16_t kMostOfPlace = 64;

  // Notes allocations from now on. `is_program`: whether this thread runs code of the program.
  static void start(bool (*is_program)());

  // The program has threads, and one of them communicates from here. Another thread may get the
  // memory after it is freed.
  static void communicates(std::uint64_t address) {
    if (!communicated(address).load(std::memory_order_relaxed))
      communicated(address).store(true, std::memory_order_relaxed);
  }

 private:
  HeapBlocks() = default;
  void allocated(Recorder& recorder, void* block, std::size_t bytes, CallSite call_site);
  void freed(Recorder& recorder, void* block);

  static constexpr std::size_t kPlaces = 1 << 12, kFilter = 1 << 17, kPages = 1 << 16;
  static std::atomic<bool>& communicated(std::uint64_t address) {
    return communicated_[hash(address >> 12) % kPages];
  }
  static void give_back(void* memory, std::size_t bytes);

  static std::array<std::atomic<bool>, kPages> communicated_;  // by page
  static std::size_t hash(std::uint64_t value) { return value * 0x9e3779b97f4a7c15ull >> 32; }
  std::atomic<std::uint16_t>& noted_at(CallSite call_site) {
    return places_[hash(call_site.pc ^ (call_site.frame << 7)) % kPlaces];
  }
  std::atomic<std::uint16_t>& noted_near(std::uint64_t address) {
    return filter_[hash(address >> 4) % kFilter];
  }

  // How often a place, a return address and a frame, has allocated a block that was noted.
  std::array<std::atomic<std::uint16_t>, kPlaces> places_{};
  // How many blocks in `live_` have an address with this hash. Most calls of free need no more.
  std::array<std::atomic<std::uint16_t>, kFilter> filter_{};
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, BlockDefinition> live_;  // by address
  std::atomic<std::uint32_t> last_{0};
};

}  // namespace photofinish
