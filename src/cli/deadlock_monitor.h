// Ends a run that hangs. The monitor analyzes the traces when no rank has recorded an event for
// --deadlock-timeout seconds, and every rank is inside a call that may wait, or has finished. Only
// if the traces prove that some of these calls can never return
// (MessageSequence::proven_deadlocks), it prints the deadlock and interrupts the launcher, as
// Ctrl-C does.
//
// Time alone never suffices. There is no verdict about ranks that compute, sleep, poll, are stopped
// or are debugged, nor about calls that the analysis does not support. There is none with
// MPI_THREAD_MULTIPLE, where another thread could end a wait.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace photofinish {

// Whether no process of a rank exists any more, as far as this machine can tell.
bool all_ranks_have_ended(const std::string& directory);

class DeadlockMonitor {
 public:
  // `timeout` 0: does nothing.
  DeadlockMonitor(std::string directory, std::chrono::seconds timeout, pid_t launcher);
  ~DeadlockMonitor() { stop(); }

  // No signals are sent to the launcher after this. Call it before the launcher is reaped.
  void stop();
  bool found() const { return found_; }

 private:
  void run();
  bool wait(std::chrono::milliseconds time);  // false: stopped
  bool is_stopped();
  bool print_deadlocks();
  void interrupt_launcher();

  const std::string directory_;
  const std::chrono::milliseconds timeout_;
  const pid_t launcher_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false, found_ = false;
  std::thread thread_;
};

}  // namespace photofinish
