// Records accesses of threads that make no MPI calls, such as OpenMP workers, or that are between
// their own calls.
//
// Rule: accesses of a rank's threads are recorded before the rank's next MPI call, whichever thread
// makes it. If the program orders an access before the call, this preserves the order; otherwise
// there is none to preserve. Accesses during a call are not ordered before it. If only one thread
// calls MPI (up to MPI_THREAD_FUNNELED; at higher levels, until it creates another thread), it
// takes its own accesses itself. Its buffer needs no lock, and the program may set its bits.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/access_buffer.h"

namespace photofinish {

class ThreadAccesses {
 public:
  explicit ThreadAccesses(SiteCache& sites);
  ~ThreadAccesses();  // moves its rows to a list for take_all()
  ThreadAccesses(const ThreadAccesses&) = delete;
  ThreadAccesses& operator=(const ThreadAccesses&) = delete;

  // Called by its own thread.
  template <class Note>
  void touch(Note note) {
    if (!shared_) return note(buffer_);
    const std::lock_guard hold(mutex_);
    note(buffer_);
  }
  // Called before an MPI call of its own thread. Returns the rows if no other thread can take them,
  // otherwise null. The caller clears them.
  std::vector<AccessRow>* take_own() {
    return shared_ || buffer_.empty() ? nullptr : &buffer_.take();
  }

  // Called before an MPI call of any thread.
  static bool any() { return any_.load(std::memory_order_relaxed); }
  static std::vector<AccessRow> take_all();

  // Called around MPI_Init by the thread that calls it. `others_may_call`: other threads may call
  // MPI.
  static void before_start();
  static void started(bool others_may_call);
  // Called before a thread is created.
  static void before_thread();

 private:
  void share();

  static std::atomic<bool> any_;  // some buffer is shared, or has rows of an ended thread
  std::mutex mutex_;
  AccessBuffer buffer_;
  bool shared_;
};

}  // namespace photofinish
