// Decides when all memory of a rank with threads has to be watched, not only windows and pending
// buffers.
//
// A thread may store to memory before another one sends it, so the store matters before the tool
// knows that the memory is a buffer. This requires two threads that run at the same time, one of
// which communicates.
//
// Rule: once the program creates a thread itself, all memory is watched. In programs that have only
// OpenMP threads, it is watched during parallel regions that communicate. The compiler pass marks
// most regions that do not (PHOTOFINISH_REGION_QUIET). The first kLearned executions of each other
// region are watched; later ones from the first communication in the region on. Once a region has
// communicated, all its executions are watched. Misses: accesses that precede the first
// communication of a region, if that is in a later execution.
#pragma once

#include <atomic>
#include <cstdint>

namespace photofinish {

class ParallelRegions {
 public:
  static constexpr std::uint32_t kLearned = 4;

  // Called by the pass: the kind of the region that the calling thread starts next.
  static void announce(std::uint64_t kind);
  // Called by the thread that starts, or has ended, a region. `code`: address of the region's code.
  static void begin(const void* code);
  static void end(const void* code);
  // The program creates a thread: all memory is watched from here on.
  static void begin_thread();

  // A thread communicates.
  static void communicate() {
    if (running_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      note_communication();
  }

 private:
  static void note_communication();
  static std::atomic<std::uint32_t> running_;  // regions that may have to be watched
};

}  // namespace photofinish
