// Keys of the synchronization between tasks of one rank: what one releases, others acquire.
#pragma once

#include <cstdint>

namespace photofinish {

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
  TaskEnd,
  TaskFulfilled,
  TaskChildren,
  TaskGroup,
  DependenceIn,
  DependenceOut,
  DependenceSet,
  SectionStart,
  SectionEnd,
  Iteration,
  GeneralRequest,
  Switch  // nobody acquires it: from here on the thread runs another task
};
inline std::uint64_t task_key(TaskKey kind, const void* what, std::uint64_t number = 0) {
  return (static_cast<std::uint64_t>(kind) << 56) ^ reinterpret_cast<std::uint64_t>(what) ^
         (number << 50);
}

constexpr TaskKey kind_of_task_key(std::uint64_t key) { return static_cast<TaskKey>(key >> 56); }
// Of an atomic operation on an address.
constexpr bool is_atomic_key(std::uint64_t key) {
  return key >> 48 == static_cast<std::uint64_t>(TaskKey::Atomic) << 8;
}
constexpr std::uint64_t kFenceKey = static_cast<std::uint64_t>(TaskKey::Fence) << 56;

}  // namespace photofinish
