// The program's own threads and what orders them: libc's functions, with a release before and an
// acquire behind.
//
// Locks order as observed: whoever takes one comes after whoever gave it back. Threads of runtimes
// (MPI's, OpenMP's) are none of the program's, nor is what runtimes lock.
//
// In a recorded rank, taking a lock is a turn (record/turn_order.h), as is everything else whose
// outcome depends on who comes first. A replayed rank waits for its turn, and returns the recorded
// result: a lock that was not free is not tried, and who waited for a condition waits for its turn
// instead, whoever signals.
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include <cerrno>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "frontend/threads/runtime_code.h"
#include "runtime/failure.h"
#include "runtime/parallel_regions.h"
#include "runtime/tasks.h"
#include "runtime/thread_accesses.h"
#include "runtime/thread_end.h"
#include "runtime/turns.h"

namespace photofinish {
namespace {

// Some functions have older versions that work differently, and dlsym may find those.
void* find_next(const char* name, const char* version) {
  if (version != nullptr)
    if (void* const found = dlvsym(RTLD_NEXT, name, version)) return found;
  return dlsym(RTLD_NEXT, name);
}

#define NEXT_VERSION(name, version)          \
  [[maybe_unused]] static auto* const real = \
      reinterpret_cast<decltype(&name)>(find_next(#name, version))
#define NEXT(name) NEXT_VERSION(name, nullptr)
#if defined(__x86_64__)
#define CONDITION_VERSION "GLIBC_2.3.2"
#else
#define CONDITION_VERSION nullptr
#endif

bool is_program(const void* caller) {
  if (!Tasks::active()) return false;
  bool program = false;
  guarded([&] { program = !is_runtime(caller); });
  return program;
}

// Whether what the caller does is a turn of a recorded or replayed rank.
bool is_turn(const void* caller) {
  if (!Turns::active()) [[likely]]
    return false;
  bool turn = false;
  guarded([&] { turn = Turns::here() && !is_runtime(caller); });
  return turn;
}

#define CALLER __builtin_return_address(0)

// However the thread ends. The next thread may get its stack and its thread-local variables.
void end_thread() {
  guarded([] {
    Turns::set_self({});
    if (!Tasks::active()) return;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      void* low = nullptr;
      std::size_t bytes = 0;
      pthread_attr_getstack(&attributes, &low, &bytes);
      Tasks::give_back(low, static_cast<char*>(low) + bytes);
      pthread_attr_destroy(&attributes);
    }
    Tasks::release(task_key(TaskKey::ThreadEnd, reinterpret_cast<const void*>(pthread_self())),
                   true);
  });
}

template <class Result>
struct ThreadStart {
  Result (*function)(void*);
  void* argument;
  ThreadName name;
};

template <class Result>
Result run_thread(void* argument) {
  auto* const start = static_cast<ThreadStart<Result>*>(argument);
  const ThreadStart<Result> copy = *start;
  guarded([&] {
    Turns::set_self(start->name);
    Tasks::acquire(task_key(TaskKey::Thread, start));
    ThreadEnd::call(ThreadEnd::Step::Release, end_thread);
    delete start;
  });
  return copy.function(copy.argument);
}

// `real` starts a thread with a function and its argument, and returns 0 or an error.
template <class Result, class Real>
int start_thread(const void* caller, Result (*function)(void*), void* argument, Real real) {
  ThreadStart<Result>* start = nullptr;
  guarded([&] {
    const bool program = !is_runtime(caller);
    if (program) Tasks::begin();
    const bool named = program && Turns::names_threads();
    if (!Tasks::active()) ThreadAccesses::before_thread();
    if (named) Turns::begin();
    if (!program || (!Tasks::active() && !named)) return;
    if (Tasks::active()) ParallelRegions::begin_thread();
    start = new ThreadStart<Result>{function, argument, named ? Turns::next_child() : ThreadName{}};
    Tasks::release(task_key(TaskKey::Thread, start));
  });
  if (start == nullptr) return real(function, argument);
  const int result = real(run_thread<Result>, start);
  if (result != 0) guarded([&] { delete start; });
  return result;
}

// How many threads meet at each barrier, and how many have come. A thread that leaves late does not
// know those that have come to the next meeting.
class Barriers {
 public:
  void start(const void* barrier, unsigned threads) {
    const std::lock_guard lock(mutex_);
    all_[barrier] = {threads, 0};
  }
  void forget(const void* barrier) {
    const std::lock_guard lock(mutex_);
    all_.erase(barrier);
  }
  std::uint64_t arrive(const void* barrier) {
    const std::lock_guard lock(mutex_);
    const auto found = all_.find(barrier);
    if (found == all_.end() || found->second.threads == 0) return 0;
    return found->second.arrivals++ / found->second.threads % kMeetings;
  }

 private:
  static constexpr std::uint64_t kMeetings = 64;
  struct Barrier {
    unsigned threads;
    std::uint64_t arrivals;
  };
  std::mutex mutex_;
  std::unordered_map<const void*, Barrier> all_;
};

Barriers& barriers() {
  static auto* const all = new Barriers;  // the program's last threads may still be in it
  return *all;
}

// A lock that was taken: the result says whether.
bool is_taken(int result) { return result == 0 || result == EOWNERDEAD; }
int taken(int result, TaskKey kind, const void* lock) {
  if (is_taken(result)) guarded([&] { Tasks::acquire(task_key(kind, lock)); });
  return result;
}
void given_back(TaskKey kind, const void* lock) {
  guarded([&] { Tasks::release(task_key(kind, lock)); });
}

// Taking a lock either waits for it, and is a turn once it has it; or it tries, and others must
// not take or release it between the attempt and the turn.
enum class Way { Waits, Tries, WaitsUntil };

// `real` takes the lock and returns 0 or an error; `wait` takes it however long that takes.
template <class Real, class Wait>
int take_in_turn(Way way, TurnKind kind, Real real, Wait wait) {
  if (Turns::replays()) {
    TurnScope turn(kind, true);
    if (!turn.is_ordered()) return real();
    const auto result = static_cast<int>(turn.recorded());
    if (is_taken(result)) wait();
    return result;
  }
  if (way == Way::Tries) {
    TurnScope turn(kind, true);
    const int result = real();
    turn.set(result);
    return result;
  }
  const int result = real();
  TurnScope turn(kind, true);
  turn.set(result);
  return result;
}

template <class Real, class Wait>
int take(const void* caller, Way way, TaskKey kind, const void* lock, Real real, Wait wait) {
  if (is_turn(caller))
    return take_in_turn(way, way == Way::Waits ? TurnKind::Lock : TurnKind::TryLock, real, wait);
  const bool program = is_program(caller);
  const int result = real();
  return program ? taken(result, kind, lock) : result;
}

// A semaphore's functions return -1, and leave the reason in errno.
template <class Real, class Wait>
int take_semaphore(const void* caller, Way way, const void* semaphore, Real real, Wait wait) {
  const auto reason = [&] { return real() == 0 ? 0 : errno; };
  if (is_turn(caller)) {
    const int result = take_in_turn(way, TurnKind::Semaphore, reason, wait);
    if (result == 0) return 0;
    errno = result;
    return -1;
  }
  const bool program = is_program(caller);
  const int result = real();
  return program ? taken(result, TaskKey::Semaphore, semaphore) : result;
}

// Whoever waits gives the lock back meanwhile.
template <class Real, class Unlock, class Lock>
int wait_for_condition(const void* caller, const void* condition, const void* lock, Real real,
                       Unlock unlock_it, Lock lock_it) {
  if (is_turn(caller)) {
    if (!Turns::replays()) return take_in_turn(Way::Waits, TurnKind::Condition, real, [] {});
    unlock_it();
    TurnScope turn(TurnKind::Condition, true);
    lock_it();
    if (turn.is_ordered()) return static_cast<int>(turn.recorded());
    turn.end();
    return real();
  }
  const bool program = is_program(caller);
  if (program) given_back(TaskKey::Mutex, lock);
  const int result = real();
  if (program) {
    taken(0, TaskKey::Mutex, lock);
    if (result == 0) taken(0, TaskKey::Condition, condition);
  }
  return result;
}

// What the calling thread has given to pthread_once.
struct OnceCall {
  const void* once = nullptr;
  void (*function)() = nullptr;
  bool is_turn = false;
  TurnScope* turn = nullptr;  // of a replayed rank: it lasts until the function is called
};
thread_local OnceCall t_once;

// The release comes before others are told that the function has been called. So does the turn of
// whoever calls it.
void run_function_once() {
  const OnceCall call = t_once;
  if (call.turn != nullptr) call.turn->end();
  if (call.is_turn && !Turns::replays()) TurnScope(TurnKind::Once, true).set(1);
  t_once.is_turn = false;
  call.function();
  given_back(TaskKey::Once, call.once);
}

template <class Real>
int once_in_turn(Real real) {
  if (Turns::replays()) {
    TurnScope turn(TurnKind::Once, true);
    t_once.turn = &turn;
    return real();
  }
  t_once.is_turn = true;
  const int result = real();
  if (t_once.is_turn) TurnScope(TurnKind::Once, true);  // another thread has called the function
  return result;
}

}  // namespace
}  // namespace photofinish

using namespace photofinish;

#define EXPORTED extern "C" [[gnu::visibility("default")]]

EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                            void* (*function)(void*), void* argument) {
  NEXT(pthread_create);
  return start_thread(CALLER, function, argument, [&](auto* run, void* passed) {
    return real(thread, attributes, run, passed);
  });
}

EXPORTED int thrd_create(thrd_t* thread, int (*function)(void*), void* argument) {
  NEXT(thrd_create);
  return start_thread(CALLER, function, argument,
                      [&](auto* run, void* passed) { return real(thread, run, passed); });
}

#define JOINS(name, parameters, arguments)                                                    \
  EXPORTED int name parameters {                                                              \
    NEXT(name);                                                                               \
    const bool program = is_program(CALLER);                                                  \
    const int result = real arguments;                                                        \
    return program ? taken(result, TaskKey::ThreadEnd, reinterpret_cast<const void*>(thread)) \
                   : result;                                                                  \
  }
JOINS(pthread_join, (pthread_t thread, void** value), (thread, value))
JOINS(pthread_tryjoin_np, (pthread_t thread, void** value), (thread, value))
JOINS(pthread_timedjoin_np, (pthread_t thread, void** value, const timespec* until),
      (thread, value, until))
JOINS(pthread_clockjoin_np,
      (pthread_t thread, void** value, clockid_t clock, const timespec* until),
      (thread, value, clock, until))
JOINS(thrd_join, (thrd_t thread, int* value), (thread, value))

// `wait` is the function that takes the lock however long that takes.
#define TAKES(name, way, kind, parameters, arguments, lock, wait)                            \
  EXPORTED int name parameters {                                                             \
    NEXT(name);                                                                              \
    static auto* const waits = reinterpret_cast<decltype(&wait)>(find_next(#wait, nullptr)); \
    return take(                                                                             \
        CALLER, Way::way, TaskKey::kind,                                                     \
        const_cast<const void*>(static_cast<const volatile void*>(lock)),                    \
        [&] { return real arguments; }, [&] { waits(lock); });                               \
  }
#define GIVES(name, kind, parameters, arguments, lock)       \
  EXPORTED int name parameters {                             \
    NEXT(name);                                              \
    if (is_program(CALLER)) given_back(TaskKey::kind, lock); \
    return real arguments;                                   \
  }

TAKES(pthread_mutex_lock, Waits, Mutex, (pthread_mutex_t * lock), (lock), lock, pthread_mutex_lock)
TAKES(pthread_mutex_trylock, Tries, Mutex, (pthread_mutex_t * lock), (lock), lock,
      pthread_mutex_lock)
TAKES(pthread_mutex_timedlock, WaitsUntil, Mutex, (pthread_mutex_t * lock, const timespec* until),
      (lock, until), lock, pthread_mutex_lock)
TAKES(pthread_mutex_clocklock, WaitsUntil, Mutex,
      (pthread_mutex_t * lock, clockid_t clock, const timespec* until), (lock, clock, until), lock,
      pthread_mutex_lock)
GIVES(pthread_mutex_unlock, Mutex, (pthread_mutex_t * lock), (lock), lock)
TAKES(pthread_rwlock_rdlock, Waits, Mutex, (pthread_rwlock_t * lock), (lock), lock,
      pthread_rwlock_rdlock)
TAKES(pthread_rwlock_tryrdlock, Tries, Mutex, (pthread_rwlock_t * lock), (lock), lock,
      pthread_rwlock_rdlock)
TAKES(pthread_rwlock_wrlock, Waits, Mutex, (pthread_rwlock_t * lock), (lock), lock,
      pthread_rwlock_wrlock)
TAKES(pthread_rwlock_trywrlock, Tries, Mutex, (pthread_rwlock_t * lock), (lock), lock,
      pthread_rwlock_wrlock)
TAKES(pthread_rwlock_timedrdlock, WaitsUntil, Mutex,
      (pthread_rwlock_t * lock, const timespec* until), (lock, until), lock, pthread_rwlock_rdlock)
TAKES(pthread_rwlock_timedwrlock, WaitsUntil, Mutex,
      (pthread_rwlock_t * lock, const timespec* until), (lock, until), lock, pthread_rwlock_wrlock)
TAKES(pthread_rwlock_clockrdlock, WaitsUntil, Mutex,
      (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until), lock,
      pthread_rwlock_rdlock)
TAKES(pthread_rwlock_clockwrlock, WaitsUntil, Mutex,
      (pthread_rwlock_t * lock, clockid_t clock, const timespec* until), (lock, clock, until), lock,
      pthread_rwlock_wrlock)
GIVES(pthread_rwlock_unlock, Mutex, (pthread_rwlock_t * lock), (lock), lock)
TAKES(pthread_spin_lock, Waits, Mutex, (pthread_spinlock_t * lock), (lock), lock, pthread_spin_lock)
TAKES(pthread_spin_trylock, Tries, Mutex, (pthread_spinlock_t * lock), (lock), lock,
      pthread_spin_lock)
GIVES(pthread_spin_unlock, Mutex, (pthread_spinlock_t * lock), (lock), const_cast<const int*>(lock))
TAKES(mtx_lock, Waits, Mutex, (mtx_t * lock), (lock), lock, mtx_lock)
TAKES(mtx_trylock, Tries, Mutex, (mtx_t * lock), (lock), lock, mtx_lock)
TAKES(mtx_timedlock, WaitsUntil, Mutex, (mtx_t * lock, const timespec* until), (lock, until), lock,
      mtx_lock)
GIVES(mtx_unlock, Mutex, (mtx_t * lock), (lock), lock)

#define TAKES_SEMAPHORE(name, way, parameters, arguments)                      \
  EXPORTED int name parameters {                                               \
    NEXT(name);                                                                \
    static auto* const waits =                                                 \
        reinterpret_cast<decltype(&sem_wait)>(find_next("sem_wait", nullptr)); \
    return take_semaphore(                                                     \
        CALLER, Way::way, semaphore, [&] { return real arguments; },           \
        [&] {                                                                  \
          while (waits(semaphore) != 0 && errno == EINTR) {                    \
          }                                                                    \
        });                                                                    \
  }
TAKES_SEMAPHORE(sem_wait, Waits, (sem_t * semaphore), (semaphore))
TAKES_SEMAPHORE(sem_trywait, Tries, (sem_t * semaphore), (semaphore))
TAKES_SEMAPHORE(sem_timedwait, WaitsUntil, (sem_t * semaphore, const timespec* until),
                (semaphore, until))
TAKES_SEMAPHORE(sem_clockwait, WaitsUntil,
                (sem_t * semaphore, clockid_t clock, const timespec* until),
                (semaphore, clock, until))
GIVES(sem_post, Semaphore, (sem_t * semaphore), (semaphore), semaphore)

// `unlock` and `lock` are the functions of the lock that the condition uses.
#define WAITS(name, version, parameters, arguments, unlock, take)                                  \
  EXPORTED int name parameters {                                                                   \
    NEXT_VERSION(name, version);                                                                   \
    static auto* const unlocks = reinterpret_cast<decltype(&unlock)>(find_next(#unlock, nullptr)); \
    static auto* const locks = reinterpret_cast<decltype(&take)>(find_next(#take, nullptr));       \
    return wait_for_condition(                                                                     \
        CALLER, condition, lock, [&] { return real arguments; }, [&] { unlocks(lock); },           \
        [&] { locks(lock); });                                                                     \
  }
WAITS(pthread_cond_wait, CONDITION_VERSION, (pthread_cond_t * condition, pthread_mutex_t* lock),
      (condition, lock), pthread_mutex_unlock, pthread_mutex_lock)
WAITS(pthread_cond_timedwait, CONDITION_VERSION,
      (pthread_cond_t * condition, pthread_mutex_t* lock, const timespec* until),
      (condition, lock, until), pthread_mutex_unlock, pthread_mutex_lock)
WAITS(pthread_cond_clockwait, nullptr,
      (pthread_cond_t * condition, pthread_mutex_t* lock, clockid_t clock, const timespec* until),
      (condition, lock, clock, until), pthread_mutex_unlock, pthread_mutex_lock)
WAITS(cnd_wait, nullptr, (cnd_t * condition, mtx_t* lock), (condition, lock), mtx_unlock, mtx_lock)
WAITS(cnd_timedwait, nullptr, (cnd_t * condition, mtx_t* lock, const timespec* until),
      (condition, lock, until), mtx_unlock, mtx_lock)

#define SIGNALS(name, version, type)                                   \
  EXPORTED int name(type* condition) {                                 \
    NEXT_VERSION(name, version);                                       \
    if (is_program(CALLER)) given_back(TaskKey::Condition, condition); \
    return real(condition);                                            \
  }
SIGNALS(pthread_cond_signal, CONDITION_VERSION, pthread_cond_t)
SIGNALS(pthread_cond_broadcast, CONDITION_VERSION, pthread_cond_t)
SIGNALS(cnd_signal, nullptr, cnd_t)
SIGNALS(cnd_broadcast, nullptr, cnd_t)

EXPORTED int pthread_barrier_init(pthread_barrier_t* barrier,
                                  const pthread_barrierattr_t* attributes, unsigned count) {
  NEXT(pthread_barrier_init);
  const int result = real(barrier, attributes, count);
  if (result == 0) guarded([&] { barriers().start(barrier, count); });
  return result;
}

EXPORTED int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  NEXT(pthread_barrier_destroy);
  guarded([&] { barriers().forget(barrier); });
  return real(barrier);
}

EXPORTED int pthread_barrier_wait(pthread_barrier_t* barrier) {
  NEXT(pthread_barrier_wait);
  if (is_turn(CALLER)) {  // for its result: one of the threads is told that it is the one
    const int result = real(barrier);
    TurnScope turn(TurnKind::Barrier, true);
    turn.set(result);
    return Turns::replays() && turn.is_ordered() ? static_cast<int>(turn.recorded()) : result;
  }
  if (!is_program(CALLER)) return real(barrier);
  std::uint64_t key = 0;
  guarded([&] {
    key = task_key(TaskKey::Barrier, barrier, barriers().arrive(barrier));
    Tasks::release(key);
  });
  const int result = real(barrier);
  guarded([&] { Tasks::acquire(key); });
  return result;
}

namespace {

template <class Once, class Real>
int run_once(const void* caller, Once* once, void (*function)(), Real real) {
  const bool turn = is_turn(caller);
  if (!turn && !is_program(caller)) return real(function);
  struct Restore {  // also if the function throws
    const OnceCall before = t_once;
    ~Restore() { t_once = before; }
  } restore;
  t_once = {once, function};
  const auto call = [&] { return real(run_function_once); };
  return turn ? once_in_turn(call) : taken(call(), TaskKey::Once, once);
}

}  // namespace

EXPORTED int pthread_once(pthread_once_t* once, void (*function)()) {
  NEXT(pthread_once);
  return run_once(CALLER, once, function, [&](void (*run)()) { return real(once, run); });
}

EXPORTED void call_once(once_flag* once, void (*function)()) {
  NEXT(call_once);
  run_once(CALLER, once, function, [&](void (*run)()) {
    real(once, run);
    return 0;
  });
}
