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
#include <time.h>

#include <cerrno>
#include <optional>

#include "frontend/threads/runtime_code.h"
#include "runtime/failure.h"
#include "runtime/parallel_regions.h"
#include "runtime/tasks.h"
#include "runtime/thread_accesses.h"
#include "runtime/turns.h"

namespace photofinish {
namespace {

// Some functions have older versions that work differently, and dlsym may find those.
void* find_next(const char* name, const char* version) {
  if (version != nullptr)
    if (void* const found = dlvsym(RTLD_NEXT, name, version)) return found;
  return dlsym(RTLD_NEXT, name);
}

#define NEXT_VERSION(name, version) \
  static auto* const real = reinterpret_cast<decltype(&name)>(find_next(#name, version))
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

struct ThreadStart {
  void* (*function)(void*);
  void* argument;
  ThreadName name;
};

// When a thread ends, however it does.
struct ThreadEnd {
  bool started = false;
  ~ThreadEnd() {
    if (!started) return;
    guarded([] {
      Turns::set_self({});
      Tasks::release(task_key(TaskKey::ThreadEnd, reinterpret_cast<const void*>(pthread_self())),
                     true);
    });
  }
};
thread_local ThreadEnd t_end;

void* run_thread(void* argument) {
  auto* const start = static_cast<ThreadStart*>(argument);
  const ThreadStart copy = *start;
  guarded([&] {
    Turns::set_self(start->name);
    Tasks::acquire(task_key(TaskKey::Thread, start));
    t_end.started = true;
    delete start;
  });
  return copy.function(copy.argument);
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
  pthread_once_t* once = nullptr;
  void (*function)() = nullptr;
  bool is_turn = false;
  TurnScope* turn = nullptr;  // of a replayed rank: it lasts until the function is called
};
thread_local OnceCall t_once;

// The release comes before others are told that the function has been called. So does the turn of
// whoever calls it.
void call_once() {
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
  ThreadStart* start = nullptr;
  const void* const caller = CALLER;
  guarded([&] {
    const bool program = !is_runtime(caller);
    if (program) Tasks::begin();
    const bool named = program && Turns::names_threads();
    if (!Tasks::active()) ThreadAccesses::before_thread();
    if (named) Turns::begin();
    if (!program || (!Tasks::active() && !named)) return;
    if (Tasks::active()) ParallelRegions::begin_thread();
    start = new ThreadStart{function, argument, named ? Turns::next_child() : ThreadName{}};
    Tasks::release(task_key(TaskKey::Thread, start));
  });
  if (start == nullptr) return real(thread, attributes, function, argument);
  const int result = real(thread, attributes, run_thread, start);
  if (result != 0) guarded([&] { delete start; });
  return result;
}

EXPORTED int pthread_join(pthread_t thread, void** value) {
  NEXT(pthread_join);
  const bool program = is_program(CALLER);
  const int result = real(thread, value);
  return program ? taken(result, TaskKey::ThreadEnd, reinterpret_cast<const void*>(thread))
                 : result;
}

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
GIVES(pthread_rwlock_unlock, Mutex, (pthread_rwlock_t * lock), (lock), lock)
TAKES(pthread_spin_lock, Waits, Mutex, (pthread_spinlock_t * lock), (lock), lock, pthread_spin_lock)
TAKES(pthread_spin_trylock, Tries, Mutex, (pthread_spinlock_t * lock), (lock), lock,
      pthread_spin_lock)
GIVES(pthread_spin_unlock, Mutex, (pthread_spinlock_t * lock), (lock), const_cast<const int*>(lock))

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

#define WAITS(name, version, parameters, arguments)                                                \
  EXPORTED int name parameters {                                                                   \
    NEXT_VERSION(name, version);                                                                   \
    static auto* const unlocks = reinterpret_cast<decltype(&pthread_mutex_unlock)>(                \
        find_next("pthread_mutex_unlock", nullptr));                                               \
    static auto* const locks =                                                                     \
        reinterpret_cast<decltype(&pthread_mutex_lock)>(find_next("pthread_mutex_lock", nullptr)); \
    return wait_for_condition(                                                                     \
        CALLER, condition, lock, [&] { return real arguments; }, [&] { unlocks(lock); },           \
        [&] { locks(lock); });                                                                     \
  }
WAITS(pthread_cond_wait, CONDITION_VERSION, (pthread_cond_t * condition, pthread_mutex_t* lock),
      (condition, lock))
WAITS(pthread_cond_timedwait, CONDITION_VERSION,
      (pthread_cond_t * condition, pthread_mutex_t* lock, const timespec* until),
      (condition, lock, until))
WAITS(pthread_cond_clockwait, nullptr,
      (pthread_cond_t * condition, pthread_mutex_t* lock, clockid_t clock, const timespec* until),
      (condition, lock, clock, until))
EXPORTED int pthread_cond_signal(pthread_cond_t* condition) {
  NEXT_VERSION(pthread_cond_signal, CONDITION_VERSION);
  if (is_program(CALLER)) given_back(TaskKey::Condition, condition);
  return real(condition);
}
EXPORTED int pthread_cond_broadcast(pthread_cond_t* condition) {
  NEXT_VERSION(pthread_cond_broadcast, CONDITION_VERSION);
  if (is_program(CALLER)) given_back(TaskKey::Condition, condition);
  return real(condition);
}

EXPORTED int pthread_barrier_wait(pthread_barrier_t* barrier) {
  NEXT(pthread_barrier_wait);
  if (is_turn(CALLER)) {  // for its result: one of the threads is told that it is the one
    const int result = real(barrier);
    TurnScope turn(TurnKind::Barrier, true);
    turn.set(result);
    return Turns::replays() && turn.is_ordered() ? static_cast<int>(turn.recorded()) : result;
  }
  const bool program = is_program(CALLER);
  if (program) given_back(TaskKey::Barrier, barrier);
  const int result = real(barrier);
  if (program) taken(0, TaskKey::Barrier, barrier);
  return result;
}

EXPORTED int pthread_once(pthread_once_t* once, void (*function)()) {
  NEXT(pthread_once);
  const bool turn = is_turn(CALLER);
  if (!turn && !is_program(CALLER)) return real(once, function);
  struct Restore {  // also if the function throws
    const OnceCall before = t_once;
    ~Restore() { t_once = before; }
  } restore;
  t_once = {once, function};
  const auto call = [&] { return real(once, call_once); };
  return turn ? once_in_turn(call) : taken(call(), TaskKey::Once, once);
}
