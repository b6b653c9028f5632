// Records how the rank ended. The recorded events are safe without it (trace/writer.h). Signals
// that the program handles or ignores are left alone. A signal is noted only if it would end the
// process, or is a fault for which MPI has a handler that prints a stack and exits.
//
// A handler that the program installs later replaces ours, and may call it as the previous one.
// Then ours only takes a note.
#include "runtime/ending.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/failure.h"
#include "runtime/recorder.h"
#include "trace/writer.h"

namespace photofinish {
namespace {

constexpr int kRequests[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU};
constexpr int kFaults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};

TraceWriter* g_writer;
void (*g_on_fault)() noexcept;
constexpr std::size_t kEnoughStack = 128 * 1024;
struct sigaction g_before[NSIG];

// Whether the thread's own code caused the signal: a fault, or abort(). If so, the tool's data of
// this thread are consistent, unless the tool caused it.
bool is_own_fault(int signal, const siginfo_t* info) {
  if (std::find(std::begin(kFaults), std::end(kFaults), signal) == std::end(kFaults)) return false;
  if (info->si_code == SI_TKILL) return info->si_pid == getpid();
  return info->si_code > 0;
}

// A program's alternate signal stack may be too small for more than a note.
bool has_enough_stack() {
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) != 0) return false;
  return (stack.ss_flags & SS_ONSTACK) == 0 || stack.ss_size >= kEnoughStack;
}

void note_signal(int signal, siginfo_t* info, void*) {
  if (Recorder::last() != nullptr) {
    g_writer->note_state(RankState::Signaled, signal);
    if (auto* const act = std::exchange(g_on_fault, nullptr);
        act != nullptr && is_own_fault(signal, info) && has_enough_stack())
      act();
  }
  struct sigaction now{};
  sigaction(signal, nullptr, &now);
  if (now.sa_sigaction != note_signal)
    return;  // called by the handler that replaced ours; `info` may be invalid
  sigaction(signal, &g_before[signal], nullptr);
  // A fault recurs when we return, for the previous handler. Any other signal must be sent again;
  // it is blocked until we return.
  const bool again =
      (signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE || signal == SIGILL) &&
      info->si_code > 0 && info->si_code != SI_KERNEL;
  if (!again) raise(signal);
}

void watch(int signal, bool handled_too) {
  if (sigaction(signal, nullptr, &g_before[signal]) != 0 || g_before[signal].sa_handler == SIG_IGN)
    return;
  if (g_before[signal].sa_handler != SIG_DFL && !handled_too) return;
  struct sigaction action{};
  action.sa_sigaction = note_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void note_exit(int code, void*) {
  if (Recorder::last() == nullptr) return;
  guarded([&] { g_writer->end(RankState::Exited, code); });
}

}  // namespace

void watch_ending(TraceWriter& writer) {
  g_writer = &writer;
  on_exit(note_exit, nullptr);
  for (const int signal : kRequests) watch(signal, false);
  for (const int signal : kFaults) watch(signal, true);
}

void on_fault(void (*act)() noexcept) noexcept { g_on_fault = act; }

}  // namespace photofinish
