// The recording of this process. It starts once the front end knows its rank, has one lane per
// task, and ends with the process.
//
// Rules inside a foreign program: it prints nothing (except one line when it gives up), and does
// not change what the program computes. Exceptions end in failure.h. Events of a task need no lock,
// and no allocation once its buffers have grown. After a fork, the child records nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/ticks.h"
#include "model/event.h"
#include "options/options.h"
#include "runtime/sites.h"
#include "trace/writer.h"

namespace photofinish {

struct Task {
  Task(SiteTable& table, TaskId number, Lane* events) : id(number), lane(events), sites(table) {
    event.task = number;
  }
  TaskId id;
  Lane* lane;
  SiteCache sites;
  Event event;                      // the one being built; its lists keep their capacity
  std::shared_ptr<void> front_end;  // the front end's state of the task
  std::shared_ptr<void> replay;     // that of a recorded or replayed rank (replay/task_state.h)
};

class Recorder {
 public:
  // Starts recording; `base` is time zero. The front end reports the Error.
  static Result<Recorder*> start(const std::string& directory, RankDefinition rank,
                                 const Options& options);
  // Null before the start, after a fork, and after recording was given up. Relaxed: the object is
  // complete before other threads can call MPI, and an acquire load would cost each call.
  static Recorder* get() { return instance_.load(std::memory_order_relaxed); }
  // Stops recording and deletes the trace of this rank.
  static void discard();
  // Stops recording; the trace states the reason. Does not allocate.
  static void stop(IncompleteReason reason, const char* why) noexcept;
  // The current or stopped recorder, to record how the rank ends. Null in a forked child.
  static Recorder* last() { return last_.load(std::memory_order_relaxed); }

  Task* task() {
    Task* task = current_task_;
    return task != nullptr ? task : attach();
  }

  // Null if the calling thread has no task yet.
  static Task* known_task() { return current_task_; }

  TraceWriter& writer() { return *writer_; }
  bool is_recording() const { return writer_->is_recording(); }
  std::uint64_t time(std::uint64_t tick) const { return (tick - base_) >> shift_; }

  void finalized();
  void aborting(int code);

 private:
  Recorder() = default;
  [[gnu::cold, gnu::noinline]] Task* attach();
  static void detach();  // when the thread ends

  static std::atomic<Recorder*> instance_, last_;
  static thread_local Task* current_task_;

  std::unique_ptr<TraceWriter> writer_;
  std::unique_ptr<SiteTable> sites_;
  std::atomic<std::uint32_t> tasks_{0};
  std::uint64_t base_ = 0;
  int shift_ = 0;
};

// Prints a line on standard error.
void say_line(const char* line) noexcept;
// The same with the rank; complain_once() at most once per process.
void complain(const char* line) noexcept;
void complain_once(const char* line) noexcept;
inline void say_line(const std::string& line) { say_line(line.c_str()); }
inline void complain_once(const std::string& line) { complain_once(line.c_str()); }

}  // namespace photofinish
