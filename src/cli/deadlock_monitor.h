// Ends a run that hangs. When no rank has recorded anything for --deadlock-timeout seconds, and
// every rank is inside a call that may wait, or has finished, the traces are analyzed. Only if they
// prove that some of these calls can never return (MessageSequence::proven_deadlocks), the deadlock
// is printed and the launcher is interrupted, as by Ctrl-C.
//
// Never by time alone: of ranks that compute, sleep, poll, are stopped or are debugged nothing is
// said, nor of calls that the analysis does not know, nor with MPI_THREAD_MULTIPLE, where another
// thread could end a wait.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace photofinish {

class DeadlockMonitor {
 public:
  // `timeout` 0: it does nothing.
  DeadlockMonitor(std::string directory, std::chrono::seconds timeout, pid_t launcher);
  ~DeadlockMonitor() { stop(); }

  // From here on the launcher gets no signals. Before its process is reaped.
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
