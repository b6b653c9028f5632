// When all memory of a rank with threads has to be watched, not only windows and pending buffers.
//
// A thread may store to a buffer before another one sends it, so a store matters before the buffer
// is known as one. That takes two threads that run at the same time, one of which communicates.
// Rule: from the first thread on that the program creates itself, all memory is watched. In
// programs whose threads are OpenMP's, it is watched during parallel regions that communicate. The
// compiler pass knows most regions that do not (PHOTOFINISH_REGION_QUIET). Of those that it cannot
// judge, the first kLearned executions are watched, and later ones once a thread has communicated
// in one. Misses: an access in such a region that precedes the first communication of a later
// execution.
#pragma once

#include <atomic>
#include <cstdint>

namespace photofinish {

class ParallelRegions {
 public:
  static constexpr std::uint32_t kLearned = 4;

  // Called by the pass: the kind of the region that the calling thread starts next.
  static void announce(std::uint64_t kind);
  // By the thread that starts or has ended a region; `code`: where that is in the program.
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
