#include "launch/child_output.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

namespace photofinish {
namespace {

using std::chrono::steady_clock;

// Reads the output of a child until it ends, for at most 10 seconds: a launcher that waits for its
// cluster must not block the tool.
std::string read_output(int fd) {
  const auto deadline = steady_clock::now() + std::chrono::seconds(10);
  std::string output;
  char buffer[4096];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - steady_clock::now())
            .count();
    pollfd ready{fd, POLLIN, 0};
    if (left <= 0 || poll(&ready, 1, static_cast<int>(left)) <= 0) return output;
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0 || output.size() > 65536) return output;
    output.append(buffer, static_cast<size_t>(got));
  }
}

}  // namespace

std::string child_output(const std::vector<std::string>& words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  if (failed == 0) {
    output = read_output(ends[0]);
    kill(child,
         SIGKILL);  // it has ended, or printed enough; the id is valid until waited for
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return output;
}

}  // namespace photofinish
