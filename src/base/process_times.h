// What /proc says about a process: whether it runs, and how much CPU time it had.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/system_file.h"

namespace photofinish {

// What /proc says about a process: its state, and the CPU time of all its threads. State 0: there
// is no such process.
struct ProcessTimes {
  char state = 0;
  std::uint64_t cpu_ns = 0;
};
inline ProcessTimes process_times(std::uint64_t process) {
  const std::string stat = read_system_file(("/proc/" + std::to_string(process) + "/stat").c_str());
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= stat.size()) return {};
  const char* at = stat.c_str() + name_end + 2;
  ProcessTimes times{*at, 0};
  constexpr int kUserTime = 11, kSystemTime = 12;  // fields after the state
  const auto tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
  for (int field = 1; field <= kSystemTime && (at = std::strchr(at, ' ')) != nullptr; ++field) {
    ++at;
    if (field >= kUserTime) times.cpu_ns += std::strtoull(at, nullptr, 10) * tick_ns;
  }
  return times;
}

// How long the main thread of a process had a core, and how often it was given one. Finer than
// process_times, but a thread that has one now is seen up to 10 ms late. 0: not known.
struct CoreTimes {
  std::uint64_t cpu_ns = 0, times = 0;
};
inline CoreTimes main_thread_times(std::uint64_t process) {
  const std::string stat =
      read_system_file(("/proc/" + std::to_string(process) + "/schedstat").c_str());
  char* at = nullptr;
  const std::uint64_t cpu_ns = std::strtoull(stat.c_str(), &at, 10);
  std::strtoull(at, &at, 10);  // how long it waited for a core
  return {cpu_ns, std::strtoull(at, nullptr, 10)};
}

// Whether a process is ready to run, but had a core for less than that time since the object was
// made.
class Starvation {
 public:
  explicit Starvation(std::uint64_t process)
      : process_(process), cpu_ns_(process_times(process).cpu_ns) {}
  bool operator()(std::uint64_t needed_ns) const {
    const ProcessTimes now = process_times(process_);
    return now.state == 'R' && now.cpu_ns - cpu_ns_ < needed_ns;
  }

 private:
  std::uint64_t process_, cpu_ns_;
};

}  // namespace photofinish
