// Which of the loads and stores that reach the library are looked at, when the user wants to pay
// for some of them only.
//
// Rule: a place in the program is looked at each time at first, and then, the more often it was,
// the more seldom, down to one in kMaxInterval; and the first time after each MPI call anyway,
// while there is no need to save. A budget (runtime/budget.h) sets a least interval for all places.
// When that is not enough, for to be asked costs time as well, the marks are lifted from all memory
// until the run has caught up, which is seen at an MPI call. How many are passed over is drawn anew
// each time, so that no stride of the program's is in step with it. Never passed over: MPI calls,
// so that of a race between a call and a load or store only one side may be missed. The time it
// takes is measured around each look and each event, and, for those passed over, reckoned by what
// one took at the start. It is held against what the task has had of the processor, without what it
// spent waiting in MPI calls: ranks that wait for each other would otherwise each take what the
// other one costs for time to spend. Not measured: the test in front of each access
// (runtime_abi.h), which nobody counts. Nor does anybody count what goes by while marks are lifted,
// but for how long that was.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/ticks.h"
#include "model/definitions.h"
#include "photofinish/runtime_abi.h"
#include "runtime/budget.h"

namespace photofinish {

class Sampling {
 public:
  static constexpr std::uint32_t kChecksALevel = 32;  // at each interval, before it doubles
  static constexpr std::uint32_t kMaxInterval = 1024;
  static constexpr std::size_t kSiteWord =
      3;  // of those of a photofinish_site that are the library's; Touched has others

  // Null: everything is looked at.
  static Sampling* get() { return instance_; }
  // Slowdown: 0 for no budget.
  static void start(double slowdown, std::uint64_t first_tick, double ns_per_tick);
  // `lift`: what lifts marks, and puts them back. `processor_ns`: what the calling task has had of
  // the processor so far. Not the time of day: on a machine that is shared, that goes on while
  // neither program nor tool runs.
  Sampling(double slowdown, std::uint64_t first_tick, double ns_per_tick, void (*lift)(bool),
           std::uint64_t (*processor_ns)());

  // Of the calling task, which comes to this place once more.
  bool skips(photofinish_site& site) {
    Task& task = current();
    void*& word = site.library[kSiteWord];
    State state = std::bit_cast<State>(__atomic_load_n(&word, __ATOMIC_RELAXED));
    const std::uint32_t least = least_.load(std::memory_order_relaxed);
    const bool first = state.interval != task.interval && least == 1;
    if ((state.wait != 0 && !first) || least == Budget::kNothing) {
      ++task.skipped;
      if (state.wait != 0) --state.wait;
      if (state.passed == 0) task.thinned += state.passed = 1;
      if (state.checks == 0) state.checks = 1, ++task.locations;
      __atomic_store_n(&word, std::bit_cast<void*>(state), __ATOMIC_RELAXED);
      return true;
    }
    check(task, state, least);
    __atomic_store_n(&word, std::bit_cast<void*>(state), __ATOMIC_RELAXED);
    return false;
  }

  // The calling task makes an MPI call.
  void next_interval() { ++current().interval; }
  // Time of the tool's own, in ticks, until now: around what it looked at, or around an MPI call,
  // which no sampling makes cheaper.
  void took_checking(std::uint64_t since, std::uint64_t now) { took(&Task::checking, since, now); }
  // Ticks of an MPI call, until now. A short one is the program's work.
  void was_in_call(std::uint64_t since, std::uint64_t now) {
    if (now - since >= long_ticks_) waited(since, now);
  }
  void took_recording(std::uint64_t since, std::uint64_t now) {
    took(&Task::recording, since, now);
  }

  SamplingDefinition summary(std::uint64_t now);

 private:
  // What a place keeps in its word.
  struct State {
    std::uint32_t interval;
    std::uint16_t wait;  // so many more are passed over
    std::uint16_t passed : 1;
    std::uint16_t checks : 15;
  };
  static_assert(sizeof(State) == sizeof(void*));

  // Only its task writes; sums may be a little behind.
  struct Task {
    std::uint32_t interval = 1;
    std::uint32_t random = 1;
    std::uint64_t checked = 0, skipped = 0, checking = 0, recording = 0, last_update = 0;
    std::uint64_t locations = 0, thinned = 0;  // where this task was the first
    std::uint64_t run_ns = 0;                  // what it has had of the processor, but for waiting,
    std::uint64_t counted_ns = 0, counted_tick = 0;  // until all of it was this, and then
  };

  Task& current() { return current_ != nullptr ? *current_ : attach(); }
  Task& attach();
  void check(Task& task, State& state, std::uint32_t least);
  void took(std::uint64_t Task::* what, std::uint64_t since, std::uint64_t now) {
    Task& task = current();
    task.*what += now - since < long_ticks_ ? now - since : without_others(task, since, now);
    if (now - task.last_update >= update_ticks_) update(now);
  }
  void update(std::uint64_t now);
  void waited(std::uint64_t since, std::uint64_t now);
  std::uint64_t count(Task& task, std::uint64_t now);
  std::uint64_t without_others(Task& task, std::uint64_t since, std::uint64_t now);
  double own_ns(const Task& task) const {
    return ns_per_tick_ * (static_cast<double>(task.checking + task.recording) +
                           static_cast<double>(task.skipped) * skip_ticks_);
  }
  const Task* dearest() const;  // with mutex_ held

  static Sampling* instance_;
  static thread_local Task* current_;
  const double slowdown_;
  const std::uint64_t first_tick_;
  const double ns_per_tick_;
  void (*const lift_)(bool);
  std::uint64_t (*const processor_ns_)();
  const std::uint64_t update_ticks_, long_ticks_;
  std::uint64_t lifted_since_ = 0, lifted_ = 0;  // ticks; 0: they are not
  double skip_ticks_ = 0;
  std::atomic<std::uint32_t> least_{1};
  mutable std::mutex mutex_;
  Budget budget_;
  std::vector<Task*> tasks_;  // never deleted: their counts are wanted at the end
};

}  // namespace photofinish
