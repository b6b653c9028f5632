#include "runtime/resting.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/system_file.h"

namespace photofinish {
namespace {

bool rests(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  const std::string text = read_system_file(path.c_str());  // empty: it has ended
  // "123 (name) S …"; the name may contain brackets
  const std::size_t name_end = text.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= text.size() || text[name_end + 2] != 'R';
}

}  // namespace

std::vector<pid_t> other_threads() {
  std::vector<pid_t> threads;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  for (const std::string& name : names_in_directory("/proc/self/task"))
    if (const pid_t thread = std::atoi(name.c_str()); thread > 0 && thread != self)
      threads.push_back(thread);
  return threads;
}

bool wait_until_resting(const std::vector<pid_t>& threads, std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  // A thread that was found blocked may be woken by a later one, which then blocks before it is
  // checked itself. A second pass detects this.
  for (int in_a_row = 0; in_a_row < 2;) {
    if (std::all_of(threads.begin(), threads.end(), rests)) {
      ++in_a_row;
      continue;
    }
    in_a_row = 0;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace photofinish
