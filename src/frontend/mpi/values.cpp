// The hooks of an instrumented rank that is recorded or replayed: they record, or replay, the
// values of loads from memory that other ranks may write.
#include <cstring>

#include "frontend/mpi/accesses.h"
#include "frontend/mpi/interceptor.h"
#include "frontend/mpi/turns.h"
#include "photofinish/runtime_abi.h"
#include "runtime/notes.h"
#include "runtime/reach.h"

namespace photofinish::mpi {
namespace {

// Only accesses of the program count, on a thread that has called MPI; not those of the MPI
// library.
template <class Use>
void with_task(Use use) {
  Journaling* journaling = Journaling::get();
  Task* task = Recorder::known_task();
  if (journaling == nullptr || task == nullptr || t_inside != 0 || t_journal != nullptr ||
      !TaskState::of(*task).makes_calls)
    return;
  t_in_hook = true;
  guarded([&] {
    const TurnScope turn(TurnKind::Load, Turns::in_call() && journaling->loads_are_turns());
    use(*journaling, *task);
  });
  t_in_hook = false;
}

void note_loaded(const void* address, void* value, std::uint64_t bytes, const void* location) {
  with_task([&](Journaling& journaling, Task& task) {
    journaling.loaded(task, {reinterpret_cast<std::uint64_t>(location), 0}, address, value, bytes);
  });
}

void note_stored(const void* address, const void* value, std::uint64_t bytes,
                 const void* location) {
  with_task([&](Journaling& journaling, Task& task) {
    journaling.stored(task, {reinterpret_cast<std::uint64_t>(location), 0}, address, value, bytes);
  });
}

std::int64_t look_ahead(const void* address, std::uint64_t bytes, std::uint64_t rows,
                        std::int64_t stride, std::uint64_t planes, std::int64_t plane_stride,
                        const void* call_site) {
  std::int64_t distance = 0;
  with_task([&](Journaling& journaling, Task& task) {
    distance = journaling.look_ahead(task, {reinterpret_cast<std::uint64_t>(call_site), 0},
                                     static_cast<const char*>(address), bytes,
                                     {rows, stride, planes, plane_stride});
  });
  return distance;
}

const photofinish_seen* all_around(const void* base, std::uint64_t writes) {
  static constexpr photofinish_seen kNothing = {};
  const photofinish_seen* seen = nullptr;
  with_task(
      [&](Journaling& journaling, Task&) { seen = journaling.all_around(base, writes != 0); });
  return seen != nullptr ? seen : &kNothing;
}

void check_at(const void* address, std::uint64_t bytes, const void* call_site) {
  with_task([&](Journaling& journaling, Task& task) {
    journaling.check_at(task, {reinterpret_cast<std::uint64_t>(call_site), 0}, address, bytes);
  });
}

// An access that is not a plain load or store.
void note_access(photofinish_site*, const void* address, std::uint64_t bytes, const void*) {
  check_values(CALL_SITE, address, bytes);
}

void note_range(photofinish_site*, const void* address, std::uint64_t bytes, std::uint64_t rows,
                std::int64_t stride, std::uint64_t planes, std::int64_t plane_stride) {
  const CallSite call_site = CALL_SITE;
  const auto* plane = static_cast<const char*>(address);
  for (std::uint64_t i = 0; i < planes; ++i, plane += plane_stride) {
    const char* row = plane;
    for (std::uint64_t j = 0; j < rows; ++j, row += stride) check_values(call_site, row, bytes);
  }
}

std::uint64_t no_indices(photofinish_index*, const void*, std::uint64_t) { return 0; }
void no_gather(photofinish_site*, const void*, std::uint64_t, std::uint64_t, photofinish_index*,
               std::uint64_t) {}

}  // namespace

void check_values(CallSite call_site, const void* address, std::uint64_t bytes) {
  if ((bytes & PHOTOFINISH_RELEASES) != 0) return;
  const bool writes = (bytes & PHOTOFINISH_WRITES) != 0;
  bytes = PHOTOFINISH_BYTES(bytes & ~(PHOTOFINISH_WRITES | PHOTOFINISH_RELEASES));
  with_task([&](Journaling& journaling, Task& task) {
    if (writes)
      journaling.will_store(task, call_site, address, bytes);
    else
      journaling.loaded(task, call_site, address, const_cast<void*>(address), bytes);
  });
}

// Code that GCC compiled does not report the values of its loads and stores. A program with such
// code is recorded and replayed as one that is not instrumented.
static bool reports_values() { return noted(PHOTOFINISH_WITHOUT_VALUES_ABI).empty(); }

void prepare_values() {
  if (!reports_values()) return;
  for (void* state : noted(PHOTOFINISH_ABI))
    static_cast<photofinish_state*>(state)->loaded = note_loaded;
}

void start_watching_values() {
  if (!reports_values()) {
    complain_once(
        "built with pfmpicc --compiler=gcc: loads are not recorded one by one, but what changed in "
        "windows after each call; build with clang to record loads (docs/record-replay.md)");
    return;
  }
  Reach::start({note_access, note_range, no_indices, no_gather, note_loaded, note_stored,
                look_ahead, all_around, check_at, nullptr, nullptr, note_atomic});
}

}  // namespace photofinish::mpi
