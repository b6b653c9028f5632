// The program's own threads and what orders them: libc's functions, with a release before and an
// acquire behind.
//
// Locks order as observed: whoever takes one comes after whoever gave it back. Threads of runtimes
// (MPI's, OpenMP's) are none of the program's, nor is what runtimes lock.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/failure.h"
#include "runtime/parallel_regions.h"
#include "runtime/tasks.h"
#include "runtime/thread_accesses.h"

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

struct Range {
  std::uintptr_t begin, end;
};

bool is_runtime_name(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  const char* const name = slash != nullptr ? slash + 1 : path;
  for (const char* prefix : {"libomp", "libiomp", "libgomp", "libmpi", "libopen-", "libpmix",
                             "libpmi", "libprrte", "libuc", "libevent", "libhwloc", "libfabric",
                             "libpsm", "libibverbs", "librdmacm", "libphotofinish-"})
    if (std::strncmp(name, prefix, std::strlen(prefix)) == 0) return true;
  return std::strstr(path, "/openmpi/") != nullptr || std::strstr(path, "/pmix") != nullptr;
}

// Whether the code there belongs to a runtime. Objects that were loaded since are looked for again.
bool is_runtime(const void* code) {
  struct Object {
    Range range;
    bool runtime;
  };
  static std::atomic_flag busy;  // no mutex: locking one would ask again
  static auto* const objects = new std::vector<Object>;
  thread_local Object known[4] = {};
  thread_local unsigned next = 0;
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  const auto contains = [&](const Object& object) {
    return object.range.begin <= address && address < object.range.end;
  };
  for (const Object& object : known)
    if (contains(object)) return object.runtime;
  while (busy.test_and_set(std::memory_order_acquire)) sched_yield();
  struct Release {
    ~Release() { busy.clear(std::memory_order_release); }
  } release;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const auto found = std::find_if(objects->begin(), objects->end(), contains);
    if (found != objects->end()) return (known[next++ % 4] = *found).runtime;
    objects->clear();
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void*) {
          for (int i = 0; i < info->dlpi_phnum; ++i) {
            const ElfW(Phdr)& segment = info->dlpi_phdr[i];
            if (segment.p_type != PT_LOAD) continue;
            const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
            objects->push_back(
                {{begin, begin + segment.p_memsz}, is_runtime_name(info->dlpi_name)});
          }
          return 0;
        },
        nullptr);
  }
  return false;
}

bool is_program(const void* caller) {
  if (!Tasks::active()) return false;
  bool program = false;
  guarded([&] { program = !is_runtime(caller); });
  return program;
}

#define CALLER __builtin_return_address(0)

struct ThreadStart {
  void* (*function)(void*);
  void* argument;
};

// When a thread ends, however it does.
struct ThreadEnd {
  bool started = false;
  ~ThreadEnd() {
    if (started)
      guarded([] {
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
    Tasks::acquire(task_key(TaskKey::Thread, start));
    t_end.started = true;
    delete start;
  });
  return copy.function(copy.argument);
}

// What the calling thread has given to pthread_once.
struct OnceCall {
  pthread_once_t* once = nullptr;
  void (*function)() = nullptr;
};
thread_local OnceCall t_once;

// A lock that was taken: the result says whether.
int taken(int result, TaskKey kind, const void* lock) {
  if (result == 0 || result == EOWNERDEAD) guarded([&] { Tasks::acquire(task_key(kind, lock)); });
  return result;
}
void given_back(TaskKey kind, const void* lock) {
  guarded([&] { Tasks::release(task_key(kind, lock)); });
}

// The release comes before others are told that the function has been called.
void call_once() {
  const OnceCall call = t_once;
  call.function();
  given_back(TaskKey::Once, call.once);
}

}  // namespace
}  // namespace photofinish

using photofinish::given_back;
using photofinish::guarded;
using photofinish::is_program;
using photofinish::taken;
using photofinish::task_key;
using photofinish::TaskKey;
using photofinish::Tasks;

#define EXPORTED extern "C" [[gnu::visibility("default")]]

EXPORTED int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                            void* (*function)(void*), void* argument) {
  using namespace photofinish;
  NEXT(pthread_create);
  photofinish::ThreadStart* start = nullptr;
  guarded([&] {
    const bool program = !is_runtime(CALLER);
    if (program) Tasks::begin();
    if (!Tasks::active()) return ThreadAccesses::before_thread();
    if (!program) return;
    ParallelRegions::begin_thread();
    start = new ThreadStart{function, argument};
    Tasks::release(task_key(TaskKey::Thread, start));
  });
  if (start == nullptr) return real(thread, attributes, function, argument);
  const int result = real(thread, attributes, run_thread, start);
  if (result != 0) guarded([&] { delete start; });
  return result;
}

EXPORTED int pthread_join(pthread_t thread, void** value) {
  using namespace photofinish;
  NEXT(pthread_join);
  const bool program = is_program(CALLER);
  const int result = real(thread, value);
  return program ? taken(result, TaskKey::ThreadEnd, reinterpret_cast<const void*>(thread))
                 : result;
}

#define TAKES(name, kind, parameters, arguments, lock)            \
  EXPORTED int name parameters {                                  \
    using namespace photofinish;                                  \
    NEXT(name);                                                   \
    const bool program = is_program(CALLER);                      \
    const int result = real arguments;                            \
    return program ? taken(result, TaskKey::kind, lock) : result; \
  }
#define GIVES(name, kind, parameters, arguments, lock)       \
  EXPORTED int name parameters {                             \
    using namespace photofinish;                             \
    NEXT(name);                                              \
    if (is_program(CALLER)) given_back(TaskKey::kind, lock); \
    return real arguments;                                   \
  }

TAKES(pthread_mutex_lock, Mutex, (pthread_mutex_t * lock), (lock), lock)
TAKES(pthread_mutex_trylock, Mutex, (pthread_mutex_t * lock), (lock), lock)
TAKES(pthread_mutex_timedlock, Mutex, (pthread_mutex_t * lock, const timespec* until),
      (lock, until), lock)
GIVES(pthread_mutex_unlock, Mutex, (pthread_mutex_t * lock), (lock), lock)
TAKES(pthread_rwlock_rdlock, Mutex, (pthread_rwlock_t * lock), (lock), lock)
TAKES(pthread_rwlock_tryrdlock, Mutex, (pthread_rwlock_t * lock), (lock), lock)
TAKES(pthread_rwlock_wrlock, Mutex, (pthread_rwlock_t * lock), (lock), lock)
TAKES(pthread_rwlock_trywrlock, Mutex, (pthread_rwlock_t * lock), (lock), lock)
TAKES(pthread_rwlock_timedrdlock, Mutex, (pthread_rwlock_t * lock, const timespec* until),
      (lock, until), lock)
TAKES(pthread_rwlock_timedwrlock, Mutex, (pthread_rwlock_t * lock, const timespec* until),
      (lock, until), lock)
GIVES(pthread_rwlock_unlock, Mutex, (pthread_rwlock_t * lock), (lock), lock)
TAKES(pthread_spin_lock, Mutex, (pthread_spinlock_t * lock), (lock), const_cast<const int*>(lock))
TAKES(pthread_spin_trylock, Mutex, (pthread_spinlock_t * lock), (lock),
      const_cast<const int*>(lock))
GIVES(pthread_spin_unlock, Mutex, (pthread_spinlock_t * lock), (lock), const_cast<const int*>(lock))
TAKES(sem_wait, Semaphore, (sem_t * semaphore), (semaphore), semaphore)
TAKES(sem_trywait, Semaphore, (sem_t * semaphore), (semaphore), semaphore)
TAKES(sem_timedwait, Semaphore, (sem_t * semaphore, const timespec* until), (semaphore, until),
      semaphore)
GIVES(sem_post, Semaphore, (sem_t * semaphore), (semaphore), semaphore)

// Whoever waits gives the lock back meanwhile.
#define WAITS(name, parameters, arguments)                      \
  EXPORTED int name parameters {                                \
    using namespace photofinish;                                \
    NEXT_VERSION(name, CONDITION_VERSION);                      \
    const bool program = is_program(CALLER);                    \
    if (program) given_back(TaskKey::Mutex, lock);              \
    const int result = real arguments;                          \
    if (program) {                                              \
      taken(0, TaskKey::Mutex, lock);                           \
      if (result == 0) taken(0, TaskKey::Condition, condition); \
    }                                                           \
    return result;                                              \
  }
WAITS(pthread_cond_wait, (pthread_cond_t * condition, pthread_mutex_t* lock), (condition, lock))
WAITS(pthread_cond_timedwait,
      (pthread_cond_t * condition, pthread_mutex_t* lock, const timespec* until),
      (condition, lock, until))
EXPORTED int pthread_cond_signal(pthread_cond_t* condition) {
  using namespace photofinish;
  NEXT_VERSION(pthread_cond_signal, CONDITION_VERSION);
  if (is_program(CALLER)) given_back(TaskKey::Condition, condition);
  return real(condition);
}
EXPORTED int pthread_cond_broadcast(pthread_cond_t* condition) {
  using namespace photofinish;
  NEXT_VERSION(pthread_cond_broadcast, CONDITION_VERSION);
  if (is_program(CALLER)) given_back(TaskKey::Condition, condition);
  return real(condition);
}

EXPORTED int pthread_barrier_wait(pthread_barrier_t* barrier) {
  using namespace photofinish;
  NEXT(pthread_barrier_wait);
  const bool program = is_program(CALLER);
  if (program) given_back(TaskKey::Barrier, barrier);
  const int result = real(barrier);
  if (program) taken(0, TaskKey::Barrier, barrier);
  return result;
}

EXPORTED int pthread_once(pthread_once_t* once, void (*function)()) {
  using namespace photofinish;
  NEXT(pthread_once);
  if (!is_program(CALLER)) return real(once, function);
  struct Restore {  // also if the function throws
    const OnceCall before = t_once;
    ~Restore() { t_once = before; }
  } restore;
  t_once = {once, function};
  return taken(real(once, call_once), TaskKey::Once, once);
}
