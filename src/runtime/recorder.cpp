#include "runtime/recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/ending.h"

namespace photofinish {
namespace {

// Fine enough to see what a call cost, coarse enough that the usual difference is one byte.
constexpr double kNsPerUnit = 100;

pthread_key_t g_task_key;
std::string* g_rank_name;  // for complaints

}  // namespace

std::atomic<Recorder*> Recorder::instance_{nullptr};
thread_local Task* Recorder::current_task_ = nullptr;

void say_line(const std::string& line) {
  const std::string text = "photofinish: " + line + "\n";
  (void)!write(STDERR_FILENO, text.data(), text.size());
}

void complain_once(const std::string& line) {
  static std::atomic<bool> complained{false};
  if (!complained.exchange(true)) say_line((g_rank_name ? *g_rank_name : std::string()) + line);
}

Result<Recorder*> Recorder::start(const std::string& directory, RankDefinition rank,
                                  const Options& options) {
  auto* self = new Recorder;  // never deleted: the program's last threads may still be in it
  const double ns_per_tick = rank.clock.ns_per_tick;
  while (ns_per_tick * static_cast<double>(1 << self->shift_) < kNsPerUnit) ++self->shift_;
  self->base_ = rank.clock.tick;
  rank.ticks_per_unit = std::uint64_t{1} << self->shift_;
  auto writer = TraceWriter::create(
      directory, rank, ns_per_tick * static_cast<double>(1 << self->shift_), complain_once);
  if (!writer) {
    delete self;
    return writer.error();
  }
  self->writer_ = std::move(*writer);
  self->sites_ = std::make_unique<SiteTable>(*self->writer_, options.stack_depth);
  g_rank_name =
      new std::string("rank " + std::to_string(rank.rank.value) + " on " + rank.host + ": ");
  pthread_key_create(&g_task_key, detach);
  pthread_atfork(nullptr, nullptr, [] {
    if (Recorder* recorder = instance_.exchange(nullptr)) recorder->writer_->abandon();
  });
  instance_.store(self, std::memory_order_release);
  watch_ending(*self->writer_);
  return self;
}

void Recorder::discard() {
  if (Recorder* self = instance_.exchange(nullptr)) self->writer_->discard();
}

Task* Recorder::attach() {
  const TaskId id(tasks_.fetch_add(1));
  const TaskDefinition definition{.id = id, .os_thread = syscall(SYS_gettid)};
  Lane* lane = writer_->open_lane(definition);
  if (lane == nullptr) return nullptr;
  current_task_ = new Task(*sites_, id, lane);
  pthread_setspecific(g_task_key, current_task_);
  return current_task_;
}

void Recorder::finalized() {
  writer_->note_state(RankState::Finalized, 0);
  writer_->flush();
}

void Recorder::aborting(int code) { writer_->note_state(RankState::Aborted, code); }

// The destructors of the program's own keys may come after this, and call MPI: that makes another
// task.
void Recorder::detach(void* argument) {
  auto* task = static_cast<Task*>(argument);
  current_task_ = nullptr;
  if (Recorder* recorder = get()) recorder->writer_->close_lane(task->lane);
  delete task;
}

}  // namespace photofinish
