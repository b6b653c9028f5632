// The recording of this process: started once the front end knows its rank, one lane a task, ended
// when the process does.
//
// Ground rules, for this lives in someone else's program: nothing here prints (but one line when it
// gives up), or changes what the program computes; what is thrown ends in failure.h; a task's own
// events take no lock and no allocation once its buffers have grown; after a fork the child records
// nothing.
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
  Event event;                      // the one being made; its lists keep their memory
  std::shared_ptr<void> front_end;  // what the front end keeps for the task
};

class Recorder {
 public:
  // Starts recording; `base` is the time that counts as zero. The Error is for the front end to
  // report.
  static Result<Recorder*> start(const std::string& directory, RankDefinition rank,
                                 const Options& options);
  // Null before the start, after a fork, and when recording was given up.
  // Relaxed: what it points to is complete before any other thread is let into MPI, and an
  // acquiring load would cost each call.
  static Recorder* get() { return instance_.load(std::memory_order_relaxed); }
  // No more events, and no trace of this rank.
  static void discard();
  // No more events; the trace says why. Allocates nothing.
  static void stop(IncompleteReason reason, const char* why) noexcept;
  // The one that was stopped, or is at work: for how the rank ends. Null in a forked child.
  static Recorder* last() { return last_.load(std::memory_order_relaxed); }

  Task* task() {
    Task* task = current_task_;
    return task != nullptr ? task : attach();
  }

  // Null if the calling thread has none yet.
  static Task* known_task() { return current_task_; }

  TraceWriter& writer() { return *writer_; }
  bool is_recording() const { return writer_->is_recording(); }
  std::uint64_t time(std::uint64_t tick) const { return (tick - base_) >> shift_; }

  void finalized();
  void aborting(int code);

 private:
  Recorder() = default;
  [[gnu::cold, gnu::noinline]] Task* attach();
  static void detach(void* task);  // when its thread ends

  static std::atomic<Recorder*> instance_, last_;
  static thread_local Task* current_task_;

  std::unique_ptr<TraceWriter> writer_;
  std::unique_ptr<SiteTable> sites_;
  std::atomic<std::uint32_t> tasks_{0};
  std::uint64_t base_ = 0;
  int shift_ = 0;
};

// A line on standard error.
void say_line(const char* line) noexcept;
// The same with the rank; at most once in a process.
void complain(const char* line) noexcept;
void complain_once(const char* line) noexcept;
inline void say_line(const std::string& line) { say_line(line.c_str()); }
inline void complain_once(const std::string& line) { complain_once(line.c_str()); }

}  // namespace photofinish
