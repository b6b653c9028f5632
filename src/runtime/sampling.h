// Sampling: selects which loads and stores that reach the library are checked.
//
// Rule: a site is checked each time at first, then at exponentially lower rates, down to one in
// kMaxInterval. The first access after each MPI call is always checked, unless the budget forbids
// it. A budget (runtime/budget.h) sets a minimum interval for all sites. A hook call that skips
// costs time, too. So if the budget is exhausted, the page marks are cleared until an MPI call
// finds that the run has caught up. The number of skipped accesses is random each time, so that no
// stride of the program is in step with it. MPI calls are never skipped: only the load or store of
// a race can be missed.
//
// Time: checks and events are measured. Skipped accesses are charged at the cost of one at start.
// The sum is compared with the CPU time of the task, without waiting in MPI calls. Otherwise ranks
// that wait for each other would each treat the other's cost as time to spend. The tests before
// accesses are estimated (runtime/phases.h), while the rank has one task. While marks are cleared,
// only the duration is known, not the number of accesses.
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
#include "runtime/phases.h"

namespace photofinish {

class Sampling {
 public:
  static constexpr std::uint32_t kChecksALevel = 32;  // checks at each interval before it doubles
  static constexpr std::uint32_t kMaxInterval = 1024;
  // Index of the site word used here; AccessBuffer uses others.
  static constexpr std::size_t kSiteWord = 3;

  // Null: everything is checked.
  static Sampling* get() { return instance_; }
  // Slowdown 0: no budget.
  static void start(double slowdown, std::uint64_t first_tick, double ns_per_tick);
  // `lift` clears and restores the page marks. `processor_ns`: CPU time of the calling task. Not
  // wall-clock time, which passes on a shared machine while neither program nor tool runs.
  // `rest` lets the program enter its copies without tests, and ends that; it is faster.
  Sampling(double slowdown, std::uint64_t first_tick, double ns_per_tick, void (*lift)(bool),
           void (*rest)(bool), std::uint64_t (*processor_ns)());

  // Whether the calling task skips this execution of the site.
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

  // The calling task makes an MPI call. What it has computed since the last count must not look
  // like time of the tool, if another process gets the processor while the call is recorded.
  void next_interval() {
    Task& task = current();
    ++task.interval;
    if (const std::uint64_t now = ticks(); now - task.counted_tick > stale_ticks_)
      task.run_ns += count(task, now);
  }
  // Time of the tool in ticks, until now: for a check, or for an MPI call, whose cost sampling
  // cannot reduce.
  void took_checking(std::uint64_t since, std::uint64_t now) { took(&Task::checking, since, now); }
  // Ticks inside an MPI call, until now. A short one counts as work of the program.
  void was_in_call(std::uint64_t since, std::uint64_t now) {
    if (now - since >= long_ticks_) waited(since, now);
  }
  void took_recording(std::uint64_t since, std::uint64_t now) {
    took(&Task::recording, since, now);
  }

  // Of the first task, between its calls.
  void begin_phase(std::uint64_t site, std::uint64_t now);
  void end_phase(std::uint64_t now);

  SamplingDefinition summary(std::uint64_t now);

 private:
  // The content of a site's word.
  struct State {
    std::uint32_t interval;
    std::uint16_t wait;  // remaining accesses to skip
    std::uint16_t passed : 1;
    std::uint16_t checks : 15;
  };
  static_assert(sizeof(State) == sizeof(void*));

  // Written by its own task only; sums may be slightly outdated.
  struct Task {
    std::uint32_t interval = 1;
    std::uint32_t random = 1;
    std::uint64_t checked = 0, skipped = 0, checking = 0, recording = 0, last_update = 0;
    std::uint64_t locations = 0, thinned = 0;  // sites that this task used first
    std::uint64_t run_ns = 0;                  // CPU time without waiting
    // Total CPU time when last counted, and the tick then.
    std::uint64_t counted_ns = 0, counted_tick = 0;
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
  double hooks_ns(const Task& task) const {
    return ns_per_tick_ * (static_cast<double>(task.checking + task.recording) +
                           static_cast<double>(task.skipped) * skip_ticks_);
  }
  double own_ns(const Task& task) const {
    return hooks_ns(task) + (&task == first_ ? phases_.tests_ns() : 0);
  }
  const Task* dearest() const;  // the task with the largest share; requires mutex_

  static Sampling* instance_;
  static thread_local Task* current_;
  const double slowdown_;
  const std::uint64_t first_tick_;
  const double ns_per_tick_;
  void (*const lift_)(bool);
  void (*const rest_)(bool);
  std::uint64_t (*const processor_ns_)();
  const std::uint64_t update_ticks_, long_ticks_, stale_ticks_;
  std::uint64_t lifted_since_ = 0, lifted_ = 0;  // ticks; 0: marks are not cleared
  double skip_ticks_ = 0;
  std::atomic<std::uint32_t> least_{1};
  mutable std::mutex mutex_;
  Budget budget_;
  std::vector<Task*> tasks_;  // never deleted: their counts are needed at the end
  const Task* first_ = nullptr;
  Phases phases_;
  bool resting_ = false;
};

}  // namespace photofinish
