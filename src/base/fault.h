// Fault injection for tests. PHOTOFINISH_FAULT=RANK:KIND:N makes the Nth allocation (memory), file
// write (disk) or event (event) of the tool in that rank fail, and all later ones. Counting starts
// at the end of MPI_Init.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace photofinish {

class Fault {
 public:
  // Whether this operation is to fail.
  [[gnu::always_inline]] bool strikes() {
    const std::int64_t left = left_.load(std::memory_order_relaxed);
    if (left < 0) [[likely]]
      return false;
    if (left > 0) left_.store(left - 1, std::memory_order_relaxed);
    return left <= 1;
  }
  void after(std::int64_t times) { left_.store(times, std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> left_{-1};
};

inline constinit Fault g_memory_fault, g_disk_fault, g_event_fault;

// `text` may be null.
inline void set_fault(const char* text, int rank) {
  int of = -1;
  char kind[16] = "";
  long long times = 0;
  if (text == nullptr || std::sscanf(text, "%d:%15[a-z]:%lld", &of, kind, &times) != 3 ||
      of != rank || times < 1)
    return;
  if (std::strcmp(kind, "memory") == 0) g_memory_fault.after(times);
  if (std::strcmp(kind, "disk") == 0) g_disk_fault.after(times);
  if (std::strcmp(kind, "event") == 0) g_event_fault.after(times);
}

}  // namespace photofinish
