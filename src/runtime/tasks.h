// The threads of the program: whether their order is tracked, and one counter for their events.
//
// Rule: from the first thread that the program creates on, every event has a number (Field::order).
// A release takes it before it happens, an acquire afterwards. So an acquire has a larger number
// than the releases that it saw. Before that, and in ranks under confirm, record or replay, events
// are not numbered.
#pragma once

#include <atomic>
#include <cstdint>

#include "model/task_key.h"

namespace photofinish {

class Tasks {
 public:
  // Records a release or an acquire of the calling thread. `rests`: the task has no further event
  // before its next acquire.
  using Record = void (*)(bool acquires, std::uint64_t key, bool rests);
  // Memory that the calling thread has no more use for: who uses it next has nothing to do with it.
  using GiveBack = void (*)(std::uintptr_t low, std::uintptr_t high);
  // Once recording has started, where the order of threads is to be followed. `begin` is called
  // while there is still one thread.
  static void follow(Record record, GiveBack give_back, void (*begin)());
  // By whoever is about to make a thread.
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

  static void give_back(const void* low, const void* high) {
    const auto from = reinterpret_cast<std::uintptr_t>(low),
               to = reinterpret_cast<std::uintptr_t>(high);
    if (active() && from < to) give_back_(from, to);
  }

  // The explicit task or section that the calling thread is in the middle of; 0: none. Each is a
  // line of order of its own, whichever thread runs it.
  static std::uint32_t& line() { return line_; }

 private:
  static void note(bool acquires, std::uint64_t key, bool rests);

  static std::atomic<bool> active_;
  static std::atomic<std::uint64_t> order_;
  static std::atomic<Record> record_;
  static GiveBack give_back_;
  static void (*begin_)();
  static thread_local std::uint32_t line_;
};

}  // namespace photofinish
