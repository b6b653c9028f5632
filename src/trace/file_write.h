// Writes files inside the user's process.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/fault.h"

namespace photofinish {

// Blocks SIGXFSZ: exceeding the program's file size limit is an error of the tool, and must not end
// the program.
class NoSizeSignal {
 public:
  NoSizeSignal() {
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
  }
  ~NoSizeSignal() {
    const int error = errno;
    const timespec no_wait{};
    if (!was_pending_) sigtimedwait(&only_, nullptr, &no_wait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t only_, before_;
  bool was_pending_;
};

// False: not everything was written; errno is set.
inline bool write_all(int file, const void* data, std::size_t size, std::uint64_t offset) {
  NoSizeSignal no_signal;
  if (g_disk_fault.strikes()) [[unlikely]] {
    errno = ENOSPC;
    return false;
  }
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = pwrite(file, next, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    next += written;
    offset += static_cast<std::uint64_t>(written);
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace photofinish
