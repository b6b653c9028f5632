#include "runtime/resting.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace photofinish {
namespace {

bool rests(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/stat";
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return true;  // it has ended
  char text[512];
  const std::size_t size = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  // "123 (name) S …"; the name may contain brackets
  const std::size_t name_end = std::string_view(text, size).rfind(')');
  return name_end == std::string_view::npos || name_end + 2 >= size || text[name_end + 2] != 'R';
}

}  // namespace

std::vector<pid_t> other_threads() {
  std::vector<pid_t> threads;
  std::error_code error;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error))
    if (const pid_t thread = std::atoi(entry.path().filename().c_str());
        thread > 0 && thread != self)
      threads.push_back(thread);
  return threads;
}

bool wait_until_resting(const std::vector<pid_t>& threads, std::chrono::milliseconds most) {
  const auto end = std::chrono::steady_clock::now() + most;
  // A thread that was already checked may be woken by one that rests when it is checked in turn. A
  // second pass detects this.
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
