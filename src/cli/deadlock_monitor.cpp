#include "cli/deadlock_monitor.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "analyze/analyze_run.h"
#include "report/describe.h"
#include "report/run_notes.h"
#include "trace/live_state.h"
#include "trace/run_directory.h"

namespace photofinish {
namespace {

using namespace std::chrono_literals;

// The state of a process on this machine: 'S', 'R', 'T'; '\0' if it does not exist.
char process_state(std::int64_t pid) {
  std::FILE* const file = std::fopen(fmt::format("/proc/{}/stat", pid).c_str(), "re");
  if (file == nullptr) return '\0';
  char line[1024];
  const std::size_t size = std::fread(line, 1, sizeof line, file);
  std::fclose(file);
  const std::string_view text(line, size);
  const std::size_t name_end = text.rfind(')');  // names may contain any character
  return name_end != text.npos && name_end + 2 < text.size() ? text[name_end + 2] : '\0';
}

std::string host_name() {
  char host[sizeof(LiveHeader::host)] = {};
  gethostname(host, sizeof host - 1);
  return host;
}

// A stopped or killed rank does not wait. The state of ranks on other machines is unknown.
bool can_run(const LiveState& live) {
  if (live.host != host_name()) return true;
  const char state = process_state(live.pid);
  return state == 'S' || state == 'R' || state == 'D';
}

// A hash of the state of all ranks, if each is inside a call or has finished.
std::optional<std::uint64_t> state_of_hang(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks || ranks->empty()) return std::nullopt;
  std::uint64_t all = ranks->size();
  bool any_in_call = false;
  for (const WorldRank rank : *ranks) {
    const auto live = read_live_state(directory, rank);
    if (!live) continue;  // it has ended normally, which is final
    all = all * 0x9e3779b97f4a7c15u + live->fingerprint;
    if (live->incomplete) return std::nullopt;
    if (live->state == RankState::Finalized) continue;
    if (live->state != RankState::Running || !live->in_calls || !can_run(*live))
      return std::nullopt;
    any_in_call = true;
  }
  if (!any_in_call) return std::nullopt;
  return all;
}

}  // namespace

bool all_ranks_have_ended(const std::string& directory) {
  const auto ranks = recorded_ranks(directory);
  if (!ranks || ranks->empty()) return false;
  return std::none_of(ranks->begin(), ranks->end(), [&](WorldRank rank) {
    const auto live = read_live_state(directory, rank);
    return live && (live->host != host_name() || process_state(live->pid) != '\0');
  });
}

DeadlockMonitor::DeadlockMonitor(std::string directory, std::chrono::seconds timeout,
                                 pid_t launcher)
    : directory_(std::move(directory)), timeout_(timeout), launcher_(launcher) {
  if (timeout_ <= 0ms) return;
  // Signals are for the thread that waits for the launcher.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void DeadlockMonitor::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool DeadlockMonitor::wait(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this] { return stopped_; });
}

bool DeadlockMonitor::is_stopped() {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void DeadlockMonitor::run() {
  const auto interval = std::clamp<std::chrono::milliseconds>(timeout_ / 10, 50ms, 1000ms);
  std::optional<std::uint64_t> last, searched;
  // Not wall-clock time: the whole job, including this process, may have been stopped for a while.
  std::chrono::milliseconds unchanged{};
  while (wait(interval)) {
    const auto now = state_of_hang(directory_);
    unchanged = now && now == last ? unchanged + interval : 0ms;
    last = now;
    if (!now || unchanged < timeout_ || now == searched) continue;
    searched = now;
    if (!print_deadlocks()) continue;
    interrupt_launcher();
    return;
  }
}

bool DeadlockMonitor::print_deadlocks() {
  const auto before = state_of_hang(directory_);
  const auto found = find_deadlocks(directory_, [this] { return is_stopped(); });
  if (!found || found->deadlocks.empty() || state_of_hang(directory_) != before || is_stopped())
    return false;
  std::string text = fmt::format(
      "photofinish: deadlock: no rank has made progress for {} s, and these calls can never "
      "return; the run is ended (--deadlock-timeout 0 lets it hang)\n",
      std::chrono::duration_cast<std::chrono::seconds>(timeout_).count());
  RunNotes notes(directory_, {}, *found);
  for (const Deadlock& one : found->deadlocks)
    for (const DeadlockDocument::Wait& wait : describe_deadlock(one, notes).waits)
      text += fmt::format("photofinish:   {}\n", wait.line);
  std::fputs(text.c_str(), stderr);
  return true;
}

void DeadlockMonitor::interrupt_launcher() {
  const std::pair<int, std::chrono::milliseconds> signals[] = {
      {SIGINT, 5s}, {SIGTERM, 10s}, {SIGKILL, 0s}};
  for (const auto& [signal, patience] : signals) {
    {
      const std::lock_guard lock(mutex_);
      found_ = true;
      if (stopped_) return;
      kill(launcher_, signal);
    }
    if (!wait(patience)) return;
  }
}

}  // namespace photofinish
