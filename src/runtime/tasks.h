// The threads of the program: whether their order is tracked, and one counter for their events.
//
// Rule: from the first thread that the program creates on, every event has a number (Field::order).
// A release takes it before it happens, an acquire afterwards. So an acquire has a larger number
// than the releases that it saw. Before that, and in ranks under confirm, record or replay, events
// are not numbered.
#pragma once

#include <atomic>
#include <cstdint>

namespace photofinish {

class Tasks {
 public:
  // Records a release or an acquire of the calling thread. `rests`: the task has no further event
  // before its next acquire.
  using Record = void (*)(bool acquires, std::uint64_t key, bool rests);
  // Enables tracking, once recording has started. `begin` is called while there is still one
  // thread.
  static void follow(Record record, void (*begin)());
  // Called before a thread is created.
  static void begin();

  static bool active() { return active_.load(std::memory_order_relaxed); }
  static std::uint64_t next_order() { return order_.fetch_add(1, std::memory_order_acq_rel); }
  static std::uint64_t order() { return order_.load(std::memory_order_acquire); }

  static void release(std::uint64_t key, bool rests = false) {
    if (active()) [[unlikely]]
      note(false, key, rests);
  }
  static void acquire(std::uint64_t key) {
    if (active()) [[unlikely]]
      note(true, key, false);
  }

  // The explicit task that the calling thread executes; 0: none. Each is a task of its own,
  // whichever thread executes it.
  static std::uint32_t& line() { return line_; }

 private:
  static void note(bool acquires, std::uint64_t key, bool rests);

  static std::atomic<bool> active_;
  static std::atomic<std::uint64_t> order_;
  static std::atomic<Record> record_;
  static void (*begin_)();
  static thread_local std::uint32_t line_;
};

// The kind of a key; the rest of it is an address or a number.
enum class TaskKey : std::uint64_t {
  Thread = 1,
  ThreadEnd,
  Mutex,
  Condition,
  Barrier,
  Semaphore,
  Once,
  Atomic,
  Fence,
  Team,
  TeamBarrier,
  TeamTasks,
  TaskStart,
  TaskChildren,
  TaskGroup,
  DependenceIn,
  DependenceOut,
  Switch  // never acquired: the thread runs another task from here on
};
inline std::uint64_t task_key(TaskKey kind, const void* what, std::uint64_t number = 0) {
  return (static_cast<std::uint64_t>(kind) << 56) ^ reinterpret_cast<std::uint64_t>(what) ^
         (number << 50);
}

}  // namespace photofinish
