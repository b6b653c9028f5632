// What depends on timing in OpenMP and is not reported to tools: which thread gets the next chunk
// of a parallel loop, which one executes a single construct, and whether a lock was free. Each is a
// turn of a recorded rank (record/turn_order.h): the runtime decides by who comes first.
//
// Misses: entry points for programs built with GCC (GOMP_loop_dynamic_next and similar).
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>

#include "runtime/turns.h"

namespace photofinish {
namespace {

// A runtime that was loaded for one library only is not where dlsym looks.
void* find_in_runtime(const char* name) {
  if (void* const found = dlsym(RTLD_NEXT, name)) return found;
  struct Search {
    const char* name;
    void* found;
  } search{name, nullptr};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (std::strstr(info->dlpi_name, "omp") == nullptr) return 0;
        if (void* const library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY)) {
          wanted.found = dlsym(library, wanted.name);
          dlclose(library);
        }
        return wanted.found != nullptr ? 1 : 0;
      },
      &search);
  return search.found;
}
#define NEXT_IN_RUNTIME(name) \
  static auto* const real = reinterpret_cast<decltype(&name)>(find_in_runtime(#name))

// OpenMP 5 lets threads steal iterations from each other, unless the schedule is monotonic. Who can
// be stolen from depends on how far it is. Monotonic chunks depend on the order of requests only.
constexpr std::int32_t kMonotonic = 1 << 29, kNonmonotonic = 1 << 30;
std::int32_t in_order(std::int32_t schedule) {
  return Turns::names_threads() ? (schedule & ~kNonmonotonic) | kMonotonic : schedule;
}

// `wait` takes the lock however long that takes.
template <class Real, class Wait>
int test_lock(Real real, Wait wait) {
  if (!Turns::here()) return real();
  TurnScope turn(TurnKind::TryLock, true);
  if (!Turns::replays() || !turn.is_ordered()) {
    const int result = real();
    turn.set(result);
    return result;
  }
  const auto result = static_cast<int>(turn.recorded());
  if (result != 0) wait();
  return result;
}

}  // namespace
}  // namespace photofinish

using namespace photofinish;

#define EXPORTED extern "C" [[gnu::visibility("default")]]

EXPORTED std::int32_t __kmpc_single(void* location, std::int32_t thread) {
  NEXT_IN_RUNTIME(__kmpc_single);
  const TurnScope turn(TurnKind::Single);
  return real(location, thread);
}

#define LOOP(suffix, Number, Step)                                                               \
  EXPORTED void __kmpc_dispatch_init_##suffix(void* location, std::int32_t thread,               \
                                              std::int32_t schedule, Number first, Number last,  \
                                              Step step, Step chunk) {                           \
    NEXT_IN_RUNTIME(__kmpc_dispatch_init_##suffix);                                              \
    real(location, thread, in_order(schedule), first, last, step, chunk);                        \
  }                                                                                              \
  EXPORTED int __kmpc_dispatch_next_##suffix(void* location, std::int32_t thread,                \
                                             std::int32_t* is_last, Number* first, Number* last, \
                                             Step* step) {                                       \
    NEXT_IN_RUNTIME(__kmpc_dispatch_next_##suffix);                                              \
    const TurnScope turn(TurnKind::Chunk);                                                       \
    return real(location, thread, is_last, first, last, step);                                   \
  }
LOOP(4, std::int32_t, std::int32_t)
LOOP(4u, std::uint32_t, std::int32_t)
LOOP(8, std::int64_t, std::int64_t)
LOOP(8u, std::uint64_t, std::int64_t)

#define TESTS(name, wait)                                                                 \
  EXPORTED int name(void* lock) {                                                         \
    NEXT_IN_RUNTIME(name);                                                                \
    static auto* const waits = reinterpret_cast<void (*)(void*)>(find_in_runtime(#wait)); \
    return test_lock([&] { return real(lock); }, [&] { waits(lock); });                   \
  }
TESTS(omp_test_lock, omp_set_lock)
TESTS(omp_test_nest_lock, omp_set_nest_lock)
