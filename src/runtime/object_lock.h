// A mutex for programs with several threads.
#pragma once

#include <mutex>

namespace photofinish {

// Does nothing unless `needed` is set. Programs that do not ask for several communicating threads
// never make two calls at the same time, and need no lock.
class ObjectLock {
 public:
  static inline bool needed = false;
  void lock() {
    if (needed) mutex_.lock();
  }
  void unlock() {
    if (needed) mutex_.unlock();
  }

 private:
  std::mutex mutex_;
};

}  // namespace photofinish
