// What is recorded is safe without any of this (trace/writer.h); it only adds how the rank ended. Installed after MPI_Init, so
// that MPI's own handlers, and the program's earlier ones, are called after ours as they would have been without us. A handler
// that the program installs later simply replaces ours: then the end shows as "ended without a word".
#include "runtime/ending.h"

#include <signal.h>
#include <stdlib.h>

#include "runtime/recorder.h"
#include "trace/writer.h"

namespace photofinish {
namespace {

constexpr int kSignals[] = {SIGHUP, SIGINT,  SIGQUIT, SIGTERM, SIGXCPU, SIGABRT,
                            SIGBUS, SIGFPE, SIGILL,  SIGSEGV, SIGSYS,  SIGTRAP};

TraceWriter* g_writer;
struct sigaction g_before[NSIG];

void note_signal(int signal, siginfo_t* info, void*) {
  if (Recorder::get() != nullptr) g_writer->note_state(RankState::Signalled, signal);
  sigaction(signal, &g_before[signal], nullptr);
  // A fault happens again when we return, to whoever handled it before us. A signal that was sent must be sent again; it
  // is blocked until we return.
  if (info->si_code <= 0) raise(signal);
}

void note_exit(int code, void*) {
  if (Recorder::get() != nullptr) g_writer->end(RankState::Exited, code);
}

}  // namespace

void watch_ending(TraceWriter& writer) {
  g_writer = &writer;
  on_exit(note_exit, nullptr);
  struct sigaction action {};
  action.sa_sigaction = note_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) {
    if (sigaction(signal, nullptr, &g_before[signal]) != 0 || g_before[signal].sa_handler == SIG_IGN) continue;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace photofinish
