#include <utility>

#include "frontend/mpi/interceptor.h"
#include "frontend/mpi/online.h"

namespace photofinish::mpi {
namespace {

// The first failure is on record already; how often it was repeated goes in front of whatever the task does next.
[[gnu::cold, gnu::noinline]] void record_failures(Context& c, Recorder& recorder) {
  const std::uint64_t repeated = std::exchange(c.scratch.failed_times, 0) - 1;
  if (repeated == 0) return;
  Event& again = c.scratch.failed_again;
  again.clear();
  again.call = c.scratch.failed_call;
  again.site = c.scratch.failed_site;
  again.fields.set(Field::flag, 0);
  again.fields.set(Field::repeated, static_cast<std::int64_t>(repeated));
  const std::uint64_t now = recorder.time(ticks());
  c.task.lane->append(again, now, now);
}

void record_failures_before(Context& c, Recorder& recorder) {
  if (c.scratch.failed_times != 0) [[unlikely]]
    record_failures(c, recorder);
}

}  // namespace

void locate(Context& c, Place place) { c.event.site = c.task.sites.find(place.pc, place.frame); }

void begin_event(Context& c, Recorder& recorder, std::uint64_t start) {
  record_failures_before(c, recorder);
  c.task.lane->begin(c.event, recorder.time(start));
}

void finish_event(Context& c, Recorder& recorder, std::uint64_t end) {
  c.task.lane->finish(c.event, recorder.time(end));
  if (Online* online = Online::get()) online->add(c.event, end, end);
}

void append_event(Context& c, Recorder& recorder, std::uint64_t start, std::uint64_t end) {
  record_failures_before(c, recorder);
  c.task.lane->append(c.event, recorder.time(start), recorder.time(end));
  if (Online* online = Online::get()) online->add(c.event, start, end);
}

void append_attempt(Context& c, Recorder& recorder, std::uint64_t start, std::uint64_t end, bool failed) {
  Scratch& scratch = c.scratch;
  if (failed && scratch.failed_times != 0 && scratch.failed_call == c.call && scratch.failed_site == c.event.site) {
    ++scratch.failed_times;
    c.task.lane->left();
    return;
  }
  append_event(c, recorder, start, end);
  if (!failed) return;
  scratch.failed_call = c.call;
  scratch.failed_site = c.event.site;
  scratch.failed_times = 1;
}

}  // namespace photofinish::mpi
