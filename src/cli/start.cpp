#include "cli/start.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "cli/commands.h"
#include "cli/deadlock_monitor.h"
#include "cli/progress.h"

namespace photofinish {
namespace {

volatile pid_t g_launcher = 0;
volatile sig_atomic_t g_interrupted = 0;  // number of interrupts
// For a launcher that does not end, although it was interrupted and all ranks have ended.
constexpr auto kPatience = std::chrono::seconds(10);

// mpirun ends at the third interrupt, unless it is stuck, as when a node is unreachable. The next
// one kills it.
constexpr int kMostInterrupts = 3;

void pass_on(int signal) {
  g_interrupted = g_interrupted + 1;
  if (g_launcher > 0) kill(g_launcher, g_interrupted > kMostInterrupts ? SIGKILL : signal);
}

// Ctrl-C on a terminal also reaches the launcher, which is in the same process group. This process
// stays to report the outcome of the run.
void note_interrupt(int signal, siginfo_t* info, void*) {
  g_interrupted = g_interrupted + 1;
  if (g_launcher <= 0) return;
  if (g_interrupted > kMostInterrupts)
    kill(g_launcher, SIGKILL);
  else if (info->si_code == SI_USER)
    kill(g_launcher, signal);
}

// Signals that were ignored at the start (nohup) stay ignored, here and in the program.
template <class Handler>
void watch(int signal, Handler handler) {
  struct sigaction action{};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  if constexpr (std::is_same_v<Handler, void (*)(int)>) {
    action.sa_handler = handler;
  } else {
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
  }
  sigaction(signal, &action, nullptr);
}

}  // namespace

void allow_root() {
  if (geteuid() != 0) return;
  setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
  setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
}

Ended start_and_wait(const std::vector<std::string>& line, const Options& options) {
  allow_root();
  if (options.verbose) fmt::print(stderr, "photofinish: {}\n", fmt::join(line, " "));
  std::vector<char*> words;
  for (const std::string& word : line) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp(words[0], words.data());
    fail(fmt::format("cannot start {}: {}", line[0], std::strerror(errno)));
    _exit(kExitToolError);
  }
  if (child < 0)
    return {fail(fmt::format("cannot start {}: {}", line[0], std::strerror(errno))), false};
  g_launcher = child;
  watch(SIGINT, note_interrupt);
  watch(SIGQUIT, note_interrupt);
  watch(SIGTERM, pass_on);
  watch(SIGHUP, pass_on);
  Progress progress(options);
  DeadlockMonitor monitor(options.output, std::chrono::seconds(options.deadlock_timeout), child);
  using Clock = std::chrono::steady_clock;
  Clock::time_point busy = Clock::now();
  while (true) {
    siginfo_t done{};
    const int error =
        waitid(P_PID, static_cast<id_t>(child), &done,
               WEXITED | WNOWAIT | (progress.shown() || g_interrupted > 0 ? WNOHANG : 0));
    if (error == 0 && done.si_pid == child) break;
    if (error != 0 && errno != EINTR) break;
    progress.tick();
    if (g_interrupted == 0) {
      busy = Clock::now();
      continue;
    }
    if (!progress.shown()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (!all_ranks_have_ended(options.output)) busy = Clock::now();
    if (Clock::now() - busy < kPatience) continue;
    fmt::print(stderr, "photofinish: all ranks have ended, but {} has not: it is killed\n",
               line[0]);
    kill(child, SIGKILL);
    busy = Clock::now();
  }
  monitor.stop();  // while the process id is still that of the launcher
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // From here on signals are not forwarded: an interrupt ends the analysis.
  g_launcher = 0;
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    struct sigaction action{};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) ::signal(signal, SIG_DFL);
  }
  progress.clear();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  // Launchers report an interrupted run as a success, a failure, or a signal.
  if (g_interrupted) return {kExitInterrupted, true};
  return monitor.found() ? Ended{kExitFindings, true} : Ended{code, false};
}

}  // namespace photofinish
