// OpenMP's threads and tasks, as the runtime reports them to a tool (OMPT): who starts and waits
// for whom.
//
// Rule: fork, join, barriers, task creation, dependences, taskwait and taskgroup are releases and
// acquires of keys that name the team or the task. Critical sections, locks and ordered regions
// order as observed. An explicit task is a line of order of its own; there are kLines of them, used
// in turn: two tasks that use the same one count as ordered. Cannot see: runtimes without OMPT.
#include "frontend/threads/openmp.h"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "frontend/threads/ompt.h"
#include "runtime/failure.h"
#include "runtime/parallel_regions.h"
#include "runtime/tasks.h"

namespace photofinish::openmp {
namespace {

using ompt::Data;

constexpr std::uint32_t kFirstLine = 4096, kLines = 512;

std::atomic<bool> g_connected{false};

// A parallel region, while it lasts.
struct Team {
  unsigned threads = 1;
  const void* code = nullptr;  // where it starts
};

// One for each implicit and explicit task: behind the runtime's own pointer to it.
struct TaskRecord {
  Team* team = nullptr;
  TaskRecord* parent = nullptr;
  TaskRecord* group = nullptr;  // the task whose taskgroup it is in
  std::uint32_t line = 0;       // of an explicit task
  std::uint64_t barriers = 0;   // that an implicit one has reached
  unsigned groups = 0;          // that are open
  std::atomic<unsigned> references{1};
  bool has_started = false;
  std::vector<std::pair<const void*, bool>> dependences;  // and whether it writes
};

TaskRecord* record_of(const Data* task) {
  return task != nullptr ? static_cast<TaskRecord*>(task->pointer) : nullptr;
}
void keep(TaskRecord* task) {
  if (task != nullptr) task->references.fetch_add(1, std::memory_order_relaxed);
}
void drop(TaskRecord* task) {
  while (task != nullptr && task->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    TaskRecord* const parent = task->parent;
    TaskRecord* const group = task->group;
    delete task;
    if (group != nullptr) drop(group);
    task = parent;
  }
}

TaskRecord* need(Data* task) {
  if (task == nullptr) return nullptr;
  if (task->pointer == nullptr) task->pointer = new TaskRecord;
  return record_of(task);
}

void on_parallel_begin(Data* encountering, const void*, Data* parallel, unsigned requested, int,
                       const void* code) {
  guarded([&] {
    if (requested > 1) {
      Tasks::begin();
      ParallelRegions::begin(code);
    }
    auto* const team = new Team{requested, code};
    parallel->pointer = team;
    need(encountering);
    Tasks::release(task_key(TaskKey::Team, team));
  });
}

void on_parallel_end(Data* parallel, Data*, int, const void*) {
  guarded([&] {
    auto* const team = static_cast<Team*>(parallel->pointer);
    Tasks::acquire(task_key(TaskKey::TeamBarrier, team));
    Tasks::acquire(task_key(TaskKey::TeamBarrier, team, 1));
    Tasks::acquire(task_key(TaskKey::TeamTasks, team));
    if (team->threads > 1) ParallelRegions::end(team->code);
    delete team;  // a worker that reaches its end later needs only the address, as a key
  });
}

void on_implicit_task(int scope, Data* parallel, Data* task, unsigned, unsigned, int flags) {
  guarded([&] {
    if ((flags & ompt::kInitialTask) != 0) {
      if (scope == ompt::kBegin) need(task);
      return;
    }
    if (scope == ompt::kBegin) {
      TaskRecord* const record = need(task);
      record->team = parallel != nullptr ? static_cast<Team*>(parallel->pointer) : nullptr;
      Tasks::acquire(task_key(TaskKey::Team, record->team));
    } else {
      drop(record_of(task));
      if (task != nullptr) task->pointer = nullptr;
    }
  });
}

void on_sync_region(int kind, int scope, Data* parallel, Data* task, const void*) {
  guarded([&] {
    TaskRecord* const record = record_of(task);
    if (record == nullptr || kind == ompt::kReduction) return;
    if (kind == ompt::kTaskWait) {
      if (scope == ompt::kEnd) Tasks::acquire(task_key(TaskKey::TaskChildren, record));
      return;
    }
    if (kind == ompt::kTaskGroup) {
      if (scope == ompt::kBegin) {
        ++record->groups;
      } else {
        --record->groups;
        Tasks::acquire(task_key(TaskKey::TaskGroup, record));
      }
      return;
    }
    Team* const team = record->team;
    if (team == nullptr) return;
    // Whoever is at a barrier has been at all before it: two keys in turn are enough.
    if (scope == ompt::kBegin) {
      // A worker that has reached the end of its region does nothing until the next one.
      const bool rests = kind == ompt::kBarrierImplicitParallel;
      Tasks::release(task_key(TaskKey::TeamBarrier, team, record->barriers & 1), rests);
      return;
    }
    const std::uint64_t number = record->barriers++;
    if (kind == ompt::kBarrierImplicitParallel && parallel == nullptr) return;
    Tasks::acquire(task_key(TaskKey::TeamBarrier, team, number & 1));
    Tasks::acquire(task_key(TaskKey::TeamTasks, team));
  });
}

void on_task_create(Data* encountering, const void*, Data* created, int flags, int, const void*) {
  guarded([&] {
    if ((flags & ompt::kExplicitTask) == 0) return;
    static std::atomic<std::uint32_t> next{0};
    TaskRecord* const parent = need(encountering);
    TaskRecord* const record = need(created);
    record->line = kFirstLine + next.fetch_add(1, std::memory_order_relaxed) % kLines;
    if (parent != nullptr) {
      record->team = parent->team;
      keep(record->parent = parent);
      if (parent->groups > 0)
        keep(record->group = parent);
      else
        keep(record->group = parent->group);
    }
    Tasks::release(task_key(TaskKey::TaskStart, record));
  });
}

void on_dependences(Data* task, const ompt::Dependence* all, int count) {
  guarded([&] {
    TaskRecord* const record = need(task);
    for (int i = 0; record != nullptr && i < count; ++i)
      record->dependences.emplace_back(all[i].variable.pointer, all[i].type != ompt::kIn);
  });
}

void begin_task(TaskRecord& record) {
  if (std::exchange(record.has_started, true)) return;
  Tasks::acquire(task_key(TaskKey::TaskStart, &record));
  for (const auto& [variable, writes] : record.dependences) {
    Tasks::acquire(task_key(TaskKey::DependenceOut, variable));
    if (writes) Tasks::acquire(task_key(TaskKey::DependenceIn, variable));
  }
}

void end_task(TaskRecord& record) {
  for (const auto& [variable, writes] : record.dependences)
    Tasks::release(task_key(writes ? TaskKey::DependenceOut : TaskKey::DependenceIn, variable));
  if (record.parent != nullptr) Tasks::release(task_key(TaskKey::TaskChildren, record.parent));
  for (const TaskRecord* group = record.group; group != nullptr; group = group->group)
    Tasks::release(task_key(TaskKey::TaskGroup, group));
  Tasks::release(task_key(TaskKey::TeamTasks, record.team), true);
}

void on_task_schedule(Data* prior, int status, Data* next) {
  guarded([&] {
    TaskRecord* const from = record_of(prior);
    const bool over =
        status == ompt::kComplete || status == ompt::kCancel || status == ompt::kDetach;
    if (from != nullptr && from->line != 0 && over) {
      end_task(*from);
      if (prior != nullptr) prior->pointer = nullptr;
    }
    // What the prior one touched is its own.
    else if (status != ompt::kTaskWaitComplete)
      Tasks::release(task_key(TaskKey::Switch, nullptr));
    TaskRecord* const to = next != nullptr ? need(next) : nullptr;
    Tasks::line() = to != nullptr ? to->line : 0;
    if (to != nullptr && to->line != 0) begin_task(*to);
    if (from != nullptr && from->line != 0 && over) drop(from);
  });
}

// The runtime says that a lock was given back when it has been: the next thread may have it by
// then, and must not be put in front of who had it before.
class HeldLocks {
 public:
  void taken(std::uint64_t lock) {
    using namespace std::chrono_literals;
    const auto until = std::chrono::steady_clock::now() + 2s;  // its last holder is about to report
    while (!try_take(lock) && std::chrono::steady_clock::now() < until) sched_yield();
  }
  void given_back(std::uint64_t lock) {
    const Hold hold(busy_);
    std::erase(held_, lock);
  }

 private:
  struct Hold {
    explicit Hold(std::atomic_flag& flag) : busy(flag) {
      while (busy.test_and_set(std::memory_order_acquire)) sched_yield();
    }
    ~Hold() { busy.clear(std::memory_order_release); }
    std::atomic_flag& busy;
  };
  bool try_take(std::uint64_t lock) {
    const Hold hold(busy_);
    if (std::find(held_.begin(), held_.end(), lock) != held_.end()) return false;
    held_.push_back(lock);
    return true;
  }

  std::atomic_flag busy_;
  std::vector<std::uint64_t> held_;  // few at a time
};

HeldLocks& held_locks() {
  static auto* const locks = new HeldLocks;  // the program's last threads may still be in it
  return *locks;
}

void on_mutex_acquired(int, std::uint64_t mutex, const void*) {
  if (!Tasks::active()) return;
  guarded([&] {
    held_locks().taken(mutex);
    Tasks::acquire(task_key(TaskKey::Mutex, reinterpret_cast<const void*>(mutex), 3));
  });
}

void on_mutex_released(int, std::uint64_t mutex, const void*) {
  if (!Tasks::active()) return;
  guarded([&] {
    Tasks::release(task_key(TaskKey::Mutex, reinterpret_cast<const void*>(mutex), 3));
    held_locks().given_back(mutex);
  });
}

// A flush orders what comes before it with what comes after another one that follows it.
void on_flush(Data*, const void*) {
  guarded([&] {
    Tasks::acquire(task_key(TaskKey::Fence, nullptr));
    Tasks::release(task_key(TaskKey::Fence, nullptr));
  });
}

int initialize(ompt::Lookup lookup, int, Data*) {
  const auto set = reinterpret_cast<ompt::SetCallback>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  const std::pair<int, ompt::AnyFunction> callbacks[] = {
      {ompt::kParallelBegin, reinterpret_cast<ompt::AnyFunction>(on_parallel_begin)},
      {ompt::kParallelEnd, reinterpret_cast<ompt::AnyFunction>(on_parallel_end)},
      {ompt::kImplicitTask, reinterpret_cast<ompt::AnyFunction>(on_implicit_task)},
      {ompt::kSyncRegion, reinterpret_cast<ompt::AnyFunction>(on_sync_region)},
      {ompt::kTaskCreate, reinterpret_cast<ompt::AnyFunction>(on_task_create)},
      {ompt::kTaskSchedule, reinterpret_cast<ompt::AnyFunction>(on_task_schedule)},
      {ompt::kDependences, reinterpret_cast<ompt::AnyFunction>(on_dependences)},
      {ompt::kMutexAcquired, reinterpret_cast<ompt::AnyFunction>(on_mutex_acquired)},
      {ompt::kMutexReleased, reinterpret_cast<ompt::AnyFunction>(on_mutex_released)},
      {ompt::kFlush, reinterpret_cast<ompt::AnyFunction>(on_flush)}};
  for (const auto& [which, callback] : callbacks) set(which, callback);
  g_connected.store(true);
  return 1;
}

void finalize(Data*) {}

}  // namespace

// A runtime looks for tools when it is first used.
bool is_followed() {
  const auto use = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "omp_get_max_threads"));
  if (use == nullptr) return true;
  use();
  return g_connected.load();
}

}  // namespace photofinish::openmp

// The runtime asks for this before the program's first use of OpenMP.
extern "C" [[gnu::visibility("default")]] photofinish::ompt::StartToolResult* ompt_start_tool(
    unsigned, const char*) {
  using photofinish::openmp::finalize;
  using photofinish::openmp::initialize;
  static photofinish::ompt::StartToolResult result{initialize, finalize, {}};
  return &result;
}
