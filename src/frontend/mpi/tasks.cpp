// What the program's threads do to order themselves, as events of the task that does it.
#include "runtime/tasks.h"

#include "frontend/mpi/interceptor.h"
#include "frontend/mpi/tasks.h"

namespace photofinish::mpi {
namespace {

void record_task(bool acquires, std::uint64_t key, bool rests) {
  Recorder* const recorder = Recorder::get();
  if (recorder == nullptr || t_inside != 0 || t_in_hook || has_failed()) return;
  t_in_hook = true;  // what this calls is not the program's
  guarded([&] {
    Task* const task = task_of(*recorder);
    if (task == nullptr) return;
    Context c(*task, acquires ? Call::task_acquire : Call::task_release);
    c.event.result = 0;
    c.event.site = SiteId();
    c.event.fields.set(Field::key, static_cast<std::int64_t>(key));
    if (rests) c.event.fields.set(Field::flag, 1);
    const std::uint64_t now = ticks();
    append_event(c, *recorder, now, now);
  });
  t_in_hook = false;
}

void begin_tasks() {
  ObjectLock::needed = true;
  if (Recorder* const recorder = Recorder::get()) recorder->writer().begin_threads();
}

}  // namespace

void follow_tasks() {
  if (Control::get() == nullptr && Journaling::get() == nullptr)
    Tasks::follow(record_task, begin_tasks);
}

}  // namespace photofinish::mpi
