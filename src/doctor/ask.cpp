#include "doctor/ask.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <csignal>
#include <sstream>

namespace photofinish {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMost = 1 << 16;

int milliseconds_to(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<long long>(left, 0));
}

std::string read_until(int fd, Clock::time_point deadline) {
  std::string text;
  char buffer[4096];
  while (text.size() < kMost) {
    pollfd ready{fd, POLLIN, 0};
    if (poll(&ready, 1, milliseconds_to(deadline)) <= 0) break;
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

}  // namespace

std::string Answer::first_line() const {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0; };
    if (std::none_of(line.begin(), line.end(), is_word))
      continue;  // launchers print lines of dashes
    const std::size_t begin = line.find_first_not_of(" \t");
    return line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
  }
  return "";
}

Answer ask(const std::vector<std::string>& words, int seconds) {
  Answer answer;
  int ends[2];
  if (words.empty() || pipe2(ends, O_CLOEXEC) != 0) return answer;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  // A process group of its own, so that its children can be ended with it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = -1;
  answer.started =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ) == 0;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (answer.started) {
    const auto deadline = Clock::now() + std::chrono::seconds(seconds);
    answer.text = read_until(ends[0], deadline);
    int status = 0;
    while (!(answer.ended = waitpid(child, &status, WNOHANG) == child) &&
           milliseconds_to(deadline) > 0)
      usleep(2000);
    if (!answer.ended) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
    } else {
      answer.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }
  close(ends[0]);
  return answer;
}

}  // namespace photofinish
