// Threads that touch memory while others call MPI: a worker of OpenMP's may never call it at all.
//
// Rule: what a rank's threads have touched is put in front of the rank's next MPI call, whichever
// of them makes it. Whoever made sure that the call comes after the access has its order kept;
// whoever did not has none to lose. What is touched while a call is being made is not in front of
// it. The thread that alone calls MPI (up to MPI_THREAD_FUNNELED; above, until it makes another
// thread) takes what it has touched itself: it needs no lock, and the program may set its bits.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/access_buffer.h"

namespace photofinish {

class ThreadAccesses {
 public:
  explicit ThreadAccesses(SiteCache& sites);
  ~ThreadAccesses();  // what it has touched is kept until somebody takes it
  ThreadAccesses(const ThreadAccesses&) = delete;
  ThreadAccesses& operator=(const ThreadAccesses&) = delete;

  // By its own thread.
  template <class Note>
  void touch(Note note) {
    if (!shared_) return note(buffer_);
    const std::lock_guard hold(mutex_);
    note(buffer_);
  }
  // In front of a call of its own thread, what nobody else can take. Null: nothing. To be cleared
  // by the caller.
  std::vector<AccessRow>* take_own() {
    return shared_ || buffer_.empty() ? nullptr : &buffer_.take();
  }

  // In front of anybody's call.
  static bool any() { return any_.load(std::memory_order_relaxed); }
  static std::vector<AccessRow> take_all();

  // Around MPI_Init, by the thread that calls it; whether other threads may call MPI then.
  static void before_start();
  static void started(bool others_may_call);
  // By whoever makes another thread.
  static void before_thread();

 private:
  void share();

  static std::atomic<bool> any_;  // of those that are shared, or have left something
  std::mutex mutex_;
  AccessBuffer buffer_;
  bool shared_;
};

}  // namespace photofinish
