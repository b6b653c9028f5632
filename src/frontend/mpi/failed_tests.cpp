#include "frontend/mpi/interceptor.h"

namespace photofinish::mpi {

// The first failure is on record already; how often it was repeated goes in front of whatever the task does next.
void record_failed_tests(Context& c, Recorder& recorder) {
  Scratch& scratch = t_scratch;
  const std::uint64_t repeated = std::exchange(scratch.failed_times, 0) - 1;
  if (repeated == 0) return;
  static thread_local Event again;
  again.clear();
  again.call = scratch.failed_call;
  again.site = scratch.failed_site;
  again.fields.set(Field::flag, 0);
  again.fields.set(Field::repeated, static_cast<std::int64_t>(repeated));
  const std::uint64_t now = recorder.time(ticks());
  c.task.lane->append(again, now, now);
}

}  // namespace photofinish::mpi
