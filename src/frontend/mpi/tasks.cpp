// Records synchronization between threads as events of the task that performs it.
#include "runtime/tasks.h"

#include "frontend/mpi/interceptor.h"
#include "frontend/mpi/tasks.h"

namespace photofinish::mpi {
namespace {

template <class Describe>
void record(Call call, Describe describe) {
  Recorder* const recorder = Recorder::get();
  if (recorder == nullptr || t_inside != 0 || t_in_hook || has_failed()) return;
  t_in_hook = true;  // calls made below are not the program's
  guarded([&] {
    Task* const task = task_of(*recorder);
    if (task == nullptr) return;
    Context c(*task, call);
    c.event.result = 0;
    c.event.site = SiteId();
    describe(c.event);
    const std::uint64_t now = ticks();
    append_event(c, *recorder, now, now);
  });
  t_in_hook = false;
}

void record_task(bool acquires, std::uint64_t key, bool rests) {
  record(acquires ? Call::task_acquire : Call::task_release, [&](Event& event) {
    event.fields.set(Field::key, static_cast<std::int64_t>(key));
    if (rests) event.fields.set(Field::flag, 1);
  });
}

// Memory that the program released. The flag marks that pending operations may still use it.
void record_given_back(std::uintptr_t low, std::uintptr_t high) {
  record(Call::release, [&](Event& event) {
    event.fields.set(Field::flag, 1);
    event.buffers.push_back(
        {BufferUse::Write, low, static_cast<std::int64_t>(high - low), TypeId(0)});
  });
}

void begin_tasks() {
  ObjectLock::needed = true;
  if (Recorder* const recorder = Recorder::get()) recorder->writer().begin_threads();
}

// In a confirming run nothing is recorded.
void end_accesses(bool acquires, std::uint64_t, bool) {
  Steering* const steering = Steering::get();
  if (acquires || steering == nullptr || t_inside != 0 || t_in_hook || has_failed()) return;
  t_in_hook = true;
  guarded([&] { steering->end_accesses(); });
  t_in_hook = false;
}

}  // namespace

void follow_tasks() {
  if (Steering* const steering = Steering::get(); steering != nullptr && !steering->records())
    Tasks::follow(
        end_accesses, [](std::uintptr_t, std::uintptr_t) {}, [] { ObjectLock::needed = true; });
  else if (steering == nullptr && Journaling::get() == nullptr)
    Tasks::follow(record_task, record_given_back, begin_tasks);
}

}  // namespace photofinish::mpi
