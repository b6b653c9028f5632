// OpenMP's threads and tasks, as the runtime reports them to a tool (OMPT): who starts and waits
// for whom.
//
// Rule: fork, join, barriers, task creation, dependences, taskwait and taskgroup are releases and
// acquires of keys that name the team or the task. Critical sections, locks and ordered regions
// order as observed. An explicit task or section is a line of order of its own; there are kLines of
// them, used in turn: two that use the same one count as ordered. A section starts with what its
// thread knew in front of all sections, and the thread acquires its sections behind them.
// Cannot see: runtimes without OMPT; sections of code that was built without the pass, unless the
// runtime dispatches them one by one.
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
#include "runtime/turns.h"

namespace photofinish::openmp {
namespace {

using ompt::Data;

constexpr std::uint32_t kFirstLine = 4096, kLines = 512;
constexpr std::uint64_t kIterationKeys = 61;  // iterations that share one count as ordered

std::atomic<bool> g_connected{false};
ompt::GetTaskInfo g_task_info = nullptr;

// A parallel region, while it lasts.
struct Team {
  unsigned threads = 1;
  const void* code = nullptr;  // where it starts
  ThreadName starter;          // of a recorded or replayed rank
};

// One for each implicit and explicit task: behind the runtime's own pointer to it.
struct TaskRecord {
  Team* team = nullptr;
  TaskRecord* parent = nullptr;
  TaskRecord* group = nullptr;   // the task whose taskgroup it is in
  TaskRecord* around = nullptr;  // of an implicit one: the thread's before it
  std::uint32_t line = 0;        // of an explicit task
  std::uint64_t barriers = 0;    // that an implicit one has reached
  unsigned groups = 0;           // that are open
  std::atomic<unsigned> references{1};
  bool has_started = false, is_undeferred = false;
  std::uint32_t outer_line = 0;  // in a section: of the thread around it
  bool in_section = false, ran_section = false;
  struct Dependence {
    const void* variable;  // null: all memory
    int type;
    bool reads() const { return type == ompt::kIn; }
    bool is_set() const { return type == ompt::kInOutSet; }
  };
  std::vector<Dependence> dependences;
};
thread_local TaskRecord* t_implicit = nullptr;  // the innermost one

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
      if (Turns::names_threads()) Turns::begin();
      ParallelRegions::begin(code);
    }
    auto* const team = new Team{requested, code, Turns::self()};
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

void on_implicit_task(int scope, Data* parallel, Data* task, unsigned, unsigned number, int flags) {
  guarded([&] {
    const bool is_initial = (flags & ompt::kInitialTask) != 0;  // of the program, or of a league
    if (scope == ompt::kBegin) {
      TaskRecord* const record = need(task);
      record->team = parallel != nullptr ? static_cast<Team*>(parallel->pointer) : nullptr;
      if (is_initial && record->team == nullptr) return;
      record->around = std::exchange(t_implicit, record);
      if (number != 0 && record->team != nullptr && Turns::names_threads())
        Turns::set_self(Turns::team_member(record->team->starter, number));
      Tasks::acquire(task_key(TaskKey::Team, record->team));
    } else {
      TaskRecord* const record = record_of(task);
      if (is_initial && (record == nullptr || record->team == nullptr)) return;
      if (record != nullptr) t_implicit = record->around;
      // The end of a league has no barrier.
      if (is_initial) Tasks::release(task_key(TaskKey::TeamBarrier, record->team), number != 0);
      if (number != 0 && Turns::names_threads()) Turns::set_self({});
      drop(record);
      if (task != nullptr) task->pointer = nullptr;
    }
  });
}

std::uint32_t next_line() {
  static std::atomic<std::uint32_t> next{0};
  return kFirstLine + next.fetch_add(1, std::memory_order_relaxed) % kLines;
}

// Where the runtime called the code of the current implicit task: the thread's own variables of the
// region lie below.
const void* frame_of_region() {
  Data* task = nullptr;
  Data* parallel = nullptr;
  ompt::Frame* frame = nullptr;
  int flags = 0, thread = 0;
  if (g_task_info == nullptr || g_task_info(0, &flags, &task, &frame, &parallel, &thread) == 0)
    return nullptr;
  return frame != nullptr ? frame->exit.pointer : nullptr;
}

// The end of a section, and of all of them. Two sections that a thread runs share its stack, but
// nothing on it: which thread that is, is not for them to know.
void leave_section(TaskRecord& record) {
  if (!std::exchange(record.in_section, false)) return;
  Tasks::give_back(__builtin_frame_address(0), frame_of_region());
  Tasks::release(task_key(TaskKey::SectionEnd, &record), true);
  Tasks::line() = record.outer_line;
}
void leave_sections(TaskRecord& record) {
  leave_section(record);
  if (std::exchange(record.ran_section, false))
    Tasks::acquire(task_key(TaskKey::SectionEnd, &record));
}
void enter_section(TaskRecord& record) {
  leave_section(record);
  Tasks::release(task_key(TaskKey::SectionStart, &record));
  record.outer_line = std::exchange(Tasks::line(), next_line());
  record.in_section = record.ran_section = true;
  Tasks::acquire(task_key(TaskKey::SectionStart, &record));
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
    if (scope == ompt::kBegin) leave_sections(*record);
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
    if ((flags & (ompt::kExplicitTask | ompt::kTargetTask)) == 0) return;
    TaskRecord* const parent = need(encountering);
    TaskRecord* const record = need(created);
    record->line = next_line();
    record->is_undeferred = (flags & ompt::kUndeferred) != 0;
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

// Iterations that wait for earlier ones (ordered depend): `source` reports the end of an
// iteration's part, `sink` waits for that of the iteration that it names.
void on_iteration(const TaskRecord& record, const ompt::Dependence* iteration, int dimensions) {
  std::uint64_t number = 0;
  for (int i = 0; i < dimensions; ++i)
    number = number * 0x9E3779B97F4A7C15 + iteration[i].variable.value;
  const std::uint64_t key = task_key(TaskKey::Iteration, record.team, number % kIterationKeys);
  iteration->type == ompt::kSource ? Tasks::release(key) : Tasks::acquire(key);
}

void on_dependences(Data* task, const ompt::Dependence* all, int count) {
  guarded([&] {
    TaskRecord* const record = need(task);
    if (record != nullptr && count > 0 && (all->type == ompt::kSource || all->type == ompt::kSink))
      return on_iteration(*record, all, count);
    for (int i = 0; record != nullptr && i < count; ++i) {
      const bool all_memory =
          all[i].type == ompt::kOutAllMemory || all[i].type == ompt::kInOutAllMemory;
      record->dependences.push_back({all_memory ? nullptr : all[i].variable.pointer, all[i].type});
    }
  });
}

// Tasks with one parent depend on each other. Two of an inoutset do not.
void acquire_dependences(const TaskRecord& record) {
  for (const auto& dependence : record.dependences) {
    Tasks::acquire(task_key(TaskKey::DependenceOut, dependence.variable));
    if (!dependence.reads()) Tasks::acquire(task_key(TaskKey::DependenceIn, dependence.variable));
    if (!dependence.is_set()) Tasks::acquire(task_key(TaskKey::DependenceSet, dependence.variable));
  }
  if (!record.dependences.empty()) Tasks::acquire(task_key(TaskKey::DependenceOut, nullptr));
}

void release_dependences(const TaskRecord& record) {
  for (const auto& dependence : record.dependences)
    Tasks::release(task_key(dependence.reads()    ? TaskKey::DependenceIn
                            : dependence.is_set() ? TaskKey::DependenceSet
                                                  : TaskKey::DependenceOut,
                            dependence.variable));
  if (!record.dependences.empty()) Tasks::release(task_key(TaskKey::DependenceIn, nullptr));
}

void begin_task(TaskRecord& record) {
  if (std::exchange(record.has_started, true)) return;
  Tasks::acquire(task_key(TaskKey::TaskStart, &record));
  acquire_dependences(record);
}

void end_task(TaskRecord& record) {
  Tasks::acquire(task_key(TaskKey::TaskFulfilled, &record));
  release_dependences(record);
  if (record.is_undeferred) Tasks::release(task_key(TaskKey::TaskEnd, &record));
  if (record.parent != nullptr) Tasks::release(task_key(TaskKey::TaskChildren, record.parent));
  for (const TaskRecord* group = record.group; group != nullptr; group = group->group)
    Tasks::release(task_key(TaskKey::TaskGroup, group));
  Tasks::release(task_key(TaskKey::TeamTasks, record.team), true);
}

// Whoever fulfills the event of a detached task. If its code is over, that completes it.
void fulfill(TaskRecord& record, bool completes) {
  Tasks::release(task_key(TaskKey::TaskFulfilled, &record));
  if (!completes) return;
  const std::uint32_t line = std::exchange(Tasks::line(), record.line);
  end_task(record);
  Tasks::line() = line;
}

void on_task_schedule(Data* prior, int status, Data* next) {
  guarded([&] {
    TaskRecord* const from = record_of(prior);
    if (status == ompt::kEarlyFulfill || status == ompt::kLateFulfill) {
      if (from == nullptr) return;
      fulfill(*from, status == ompt::kLateFulfill);
      if (status == ompt::kEarlyFulfill) return;
      prior->pointer = nullptr;
      return drop(from);
    }
    if (status == ompt::kTaskWaitComplete) {  // a taskwait with dependences, as a task
      if (from == nullptr) return;
      acquire_dependences(*from);
      prior->pointer = nullptr;
      return drop(from);
    }
    const bool over = from != nullptr && from->line != 0 &&
                      (status == ompt::kComplete || status == ompt::kCancel);
    if (over) {
      end_task(*from);
      prior->pointer = nullptr;
    } else {  // what the prior one touched is its own
      Tasks::release(task_key(TaskKey::Switch, nullptr));
    }
    TaskRecord* const to = next != nullptr ? need(next) : nullptr;
    Tasks::line() = to != nullptr ? to->line : 0;
    if (to != nullptr && to->line != 0) begin_task(*to);
    if (!over) return;
    if (from->is_undeferred) Tasks::acquire(task_key(TaskKey::TaskEnd, from));
    drop(from);
  });
}

void on_work(int, int scope, Data*, Data*, std::uint64_t, const void*) {
  if (scope != ompt::kEnd || t_implicit == nullptr || !t_implicit->ran_section) return;
  guarded([] { leave_sections(*t_implicit); });
}

// Of runtimes that hand out the sections of code that was built without the pass.
void on_dispatch(Data*, Data*, int kind, Data) {
  if (kind == ompt::kSection) begin_section();
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

// A replayed thread waits for its turn before it takes the lock, and has it once it has the lock.
// The order of ordered regions does not depend on timing.
thread_local bool t_takes_lock = false;
void on_mutex_acquire(int kind, unsigned, unsigned, std::uint64_t, const void*) {
  if (kind == ompt::kOrdered || !Turns::here() || !Turns::replays()) return;
  guarded([&] {
    Turns::enter(TurnKind::Lock);
    t_takes_lock = true;
  });
}

void take_turn_of_lock(int kind) {
  guarded([&] {
    if (std::exchange(t_takes_lock, false)) return Turns::leave(0);
    if (kind == ompt::kOrdered || !Turns::here() || Turns::replays()) return;
    const TurnScope turn(TurnKind::Lock, true);
  });
}

// The second and further times that a thread takes a nested lock.
void on_nest_lock(int scope, std::uint64_t, const void*) {
  if (scope == ompt::kBegin && Turns::active()) take_turn_of_lock(0);
}

void on_mutex_acquired(int kind, std::uint64_t mutex, const void*) {
  if (Turns::active()) take_turn_of_lock(kind);
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
  g_task_info = reinterpret_cast<ompt::GetTaskInfo>(lookup("ompt_get_task_info"));
  const std::pair<int, ompt::AnyFunction> callbacks[] = {
      {ompt::kParallelBegin, reinterpret_cast<ompt::AnyFunction>(on_parallel_begin)},
      {ompt::kParallelEnd, reinterpret_cast<ompt::AnyFunction>(on_parallel_end)},
      {ompt::kImplicitTask, reinterpret_cast<ompt::AnyFunction>(on_implicit_task)},
      {ompt::kSyncRegion, reinterpret_cast<ompt::AnyFunction>(on_sync_region)},
      {ompt::kTaskCreate, reinterpret_cast<ompt::AnyFunction>(on_task_create)},
      {ompt::kTaskSchedule, reinterpret_cast<ompt::AnyFunction>(on_task_schedule)},
      {ompt::kDependences, reinterpret_cast<ompt::AnyFunction>(on_dependences)},
      {ompt::kMutexAcquire, reinterpret_cast<ompt::AnyFunction>(on_mutex_acquire)},
      {ompt::kMutexAcquired, reinterpret_cast<ompt::AnyFunction>(on_mutex_acquired)},
      {ompt::kNestLock, reinterpret_cast<ompt::AnyFunction>(on_nest_lock)},
      {ompt::kMutexReleased, reinterpret_cast<ompt::AnyFunction>(on_mutex_released)},
      {ompt::kWork, reinterpret_cast<ompt::AnyFunction>(on_work)},
      {ompt::kDispatch, reinterpret_cast<ompt::AnyFunction>(on_dispatch)},
      {ompt::kFlush, reinterpret_cast<ompt::AnyFunction>(on_flush)}};
  for (const auto& [which, callback] : callbacks) set(which, callback);
  g_connected.store(true);
  return 1;
}

void finalize(Data*) {}

}  // namespace

void begin_section() {
  if (Tasks::active() && t_implicit != nullptr && t_implicit->team != nullptr)
    guarded([] { enter_section(*t_implicit); });
}

void end_section() {
  if (t_implicit != nullptr && t_implicit->in_section) guarded([] { leave_section(*t_implicit); });
}

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
