#include <utility>

#include "base/fault.h"
#include "frontend/caf/table/caf_call.h"
#include "frontend/mpi/annotations.h"
#include "frontend/mpi/interceptor.h"
#include "frontend/mpi/meaning/completion.h"
#include "frontend/mpi/online.h"
#include "runtime/heap_blocks.h"
#include "runtime/sampling.h"
#include "runtime/tasks.h"

namespace photofinish::mpi {
namespace {

Reach::Completes completes(const Event& event) {
  const auto rule = mpi_meaning::completion_of(event);
  if (!rule) return Reach::Completes::Nothing;
  return rule->targets == mpi_meaning::CompletionRule::Targets::One ? Reach::Completes::OneTarget
                                                                    : Reach::Completes::AllTargets;
}

// Time of the tool's own since a tick, where somebody wants to know; what another one inside of it
// takes is that one's.
class Timed {
 public:
  using Take = void (Sampling::*)(std::uint64_t, std::uint64_t);
  Timed(Take take, std::uint64_t since) : sampling_(Sampling::get()), take_(take), since_(since) {
    if (sampling_ != nullptr) [[unlikely]]
      around_ = std::exchange(t_inside, 0);
  }
  ~Timed() {  // also when something was thrown
    if (sampling_ == nullptr) [[likely]]
      return;
    const std::uint64_t now = ticks();
    (sampling_->*take_)(since_ + t_inside, now);
    t_inside = around_ + now - since_;
  }

 private:
  static thread_local std::uint64_t t_inside;  // what others took inside of the current one
  Sampling* const sampling_;
  const Take take_;
  const std::uint64_t since_;
  std::uint64_t around_ = 0;
};
thread_local std::uint64_t Timed::t_inside = 0;

// The first failure is on record already; how often it was repeated goes in front of whatever the
// task does next.
[[gnu::cold, gnu::noinline]] void record_failures(Context& c, Recorder& recorder,
                                                  std::uint64_t start) {
  const std::uint64_t repeated = std::exchange(c.scratch.failed_times, 0) - 1;
  if (repeated == 0) return;
  Event& again = c.scratch.failed_again;
  again.clear();
  again.call = c.scratch.failed_call;
  again.site = c.scratch.failed_site;
  again.fields.set(Field::flag, 0);
  again.fields.set(Field::repeated, static_cast<std::int64_t>(repeated));
  c.task.lane->append(
      again, recorder.time(start),
      recorder.time(start));  // not later than what comes: times of a lane only grow
}

// Where what happens is in the sequence of all that the rank's tasks do.
void number(Event& event) {
  if (!Tasks::active()) [[likely]]
    return;
  event.fields.set(Field::order, static_cast<std::int64_t>(Tasks::next_order()));
  if (Tasks::line() != 0) event.fields.set(Field::line, Tasks::line());
  if (!is_program(event.call))
    for (const Buffer& buffer : event.buffers) HeapBlocks::communicates(buffer.address);
}

// Other threads may be in the middle of something: only calls of MPI count sync points.
bool is_for_online(const Event& event) {
  if (!Tasks::active()) [[likely]]
    return true;
  const Action action = traits(event.call).action;
  return action != Action::Load && action != Action::Store && action != Action::TaskRelease &&
         action != Action::TaskAcquire;
}

constexpr std::size_t kMaxBuffers = 256;  // in one event

// What was loaded and stored since the last call.
[[gnu::cold, gnu::noinline]] void record_accesses(Context& c, Recorder& recorder, std::uint64_t now,
                                                  const std::vector<AccessRow>& rows) {
  const Timed timed(&Sampling::took_checking, ticks());
  Event& event = c.scratch.touch;
  const auto append = [&] {
    number(event);
    c.task.lane->append(event, recorder.time(now), recorder.time(now));
    if (Online* online = Online::get(); online != nullptr && is_for_online(event))
      online->add(event, now, now);
  };
  event.clear();
  event.task = c.task.id;
  for (const AccessRow& row : rows) {
    if (!event.buffers.empty() &&
        (event.call != row.call || event.site != row.site || event.buffers.size() == kMaxBuffers)) {
      append();
      event.clear();
    }
    event.call = row.call;
    event.site = row.site;
    const BufferUse use = row.call == Call::load ? BufferUse::Read : BufferUse::Write;
    if (row.rows == 1)
      event.buffers.push_back({use, row.begin, static_cast<std::int64_t>(row.bytes), TypeId(0)});
    else
      event.buffers.push_back(
          {use, row.begin, static_cast<std::int64_t>(row.rows),
           Objects::get().row_type(static_cast<std::int64_t>(row.bytes), row.stride)});
  }
  if (!event.buffers.empty()) append();
}

// What belongs in front of the event that comes.
void record_before(Context& c, Recorder& recorder, std::uint64_t start) {
  if (Sampling* sampling = Sampling::get()) {
    sampling->end_phase(start);
    sampling->next_interval();
  }
  if (c.scratch.failed_times != 0) [[unlikely]]
    record_failures(c, recorder, start);
  if (c.scratch.touched != nullptr)
    if (std::vector<AccessRow>* own = c.scratch.touched->take_own()) {
      record_accesses(c, recorder, start, *own);
      own->clear();
    }
}

// Events that are not on record are not analyzed: the disk is full, say.
void check_recording(const Recorder& recorder) {
  if (!recorder.is_recording()) [[unlikely]]
    throw RecordingStopped();
  if (g_event_fault.strikes()) [[unlikely]]
    check_failed("PHOTOFINISH_FAULT", __FILE__, __LINE__);
}

void follow(Context& c, Recorder& recorder) {
  if (c.event.fields.has(Field::new_win))
    acquire_annotations();  // of what was loaded since: it knows windows now
  if (is_shmem(c.call) || is_upc(c.call) || is_caf(c.call))
    return;  // their wrappers know their memory
  if (Reach* reach = Reach::get())
    reach->follow(c.event, recorder.writer().known(), completes(c.event));
}

void begin_phase(const Context& c) {
  if (Sampling* sampling = Sampling::get()) sampling->begin_phase(c.event.site.value, ticks());
}

}  // namespace

void locate(Context& c, CallSite call_site) {
  c.event.site = c.task.sites.find_call(call_site.pc, call_site.frame);
}

void begin_event(Context& c, Recorder& recorder, std::uint64_t start) {
  const Timed timed(&Sampling::took_recording, start);
  record_before(c, recorder, start);
  c.scratch.begun = start;
  if (Tasks::active()) [[unlikely]]
    c.event.fields.set(Field::order_at_start, static_cast<std::int64_t>(Tasks::order()));
  c.task.lane->begin(c.event, recorder.time(start));
  check_recording(recorder);
}

void finish_event(Context& c, Recorder& recorder, std::uint64_t end) {
  if (Sampling* sampling = Sampling::get()) sampling->was_in_call(c.scratch.begun, end);
  const Timed timed(&Sampling::took_recording, end);
  number(c.event);
  c.task.lane->finish(c.event, recorder.time(end));
  check_recording(recorder);
  if (Online* online = Online::get()) online->add(c.event, c.scratch.begun, end);
  follow(c, recorder);
  begin_phase(c);
}

void append_event(Context& c, Recorder& recorder, std::uint64_t start, std::uint64_t end) {
  if (Sampling* sampling = Sampling::get()) sampling->was_in_call(start, end);
  const Timed timed(&Sampling::took_recording, end);
  record_before(c, recorder, start);
  number(c.event);
  c.task.lane->append(c.event, recorder.time(start), recorder.time(end));
  check_recording(recorder);
  if (Online* online = Online::get(); online != nullptr && is_for_online(c.event))
    online->add(c.event, start, end);
  follow(c, recorder);
  begin_phase(c);
}

void record_last_accesses(Recorder& recorder, Task& task) {
  Context c(task, Call::load);
  const std::uint64_t now = ticks();
  if (c.scratch.touched != nullptr)
    if (const std::vector<AccessRow>* own = c.scratch.touched->take_own())
      record_accesses(c, recorder, now, *own);
  if (ThreadAccesses::any()) record_accesses(c, recorder, now, ThreadAccesses::take_all());
}

bool record_thread_accesses(Recorder& recorder, Task& task) {
  return guarded([&] {
    Context c(task, Call::load);
    record_accesses(c, recorder, ticks(), ThreadAccesses::take_all());
  });
}

Task* attach_task(Recorder& recorder) {
  Task* task = nullptr;
  guarded([&] {
    task = recorder.task();
    if (task == nullptr) throw RecordingStopped();
  });
  return task;
}

void take_leave() {
  if (has_failed()) Online::take_leave();
}

void before_passing_on(Action action, int abort_code) {
  if (!has_failed()) return;
  Online::take_leave();
  if (Steering* const steering = Steering::get()) steering->give_up(action == Action::Finalize);
  if (action == Action::Finalize) before_last_call();
  Recorder* const recorder = Recorder::last();
  if (recorder == nullptr) return;
  if (action == Action::Finalize) recorder->finalized();
  if (action == Action::Abort) recorder->aborting(abort_code);
}

void follow_event(Context& c, Recorder& recorder) { follow(c, recorder); }

void append_attempt(Context& c, Recorder& recorder, std::uint64_t start, std::uint64_t end,
                    bool failed) {
  Scratch& scratch = c.scratch;
  if (failed && scratch.failed_times != 0 && scratch.failed_call == c.call &&
      scratch.failed_site == c.event.site) {
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
