#include "runtime/recorder.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/ending.h"
#include "runtime/failure.h"
#include "runtime/thread_end.h"
#include "runtime/turns.h"

namespace photofinish {
namespace {

// Fine enough to show the duration of a call; coarse enough that most differences fit into one
// byte.
constexpr double kNsPerUnit = 100;

char g_rank_name[128] = "";  // for messages on standard error

}  // namespace

std::atomic<Recorder*> Recorder::instance_{nullptr};
std::atomic<Recorder*> Recorder::last_{nullptr};
thread_local Task* Recorder::current_task_ = nullptr;

void say_line(const char* line) noexcept {
  char text[4096];
  const int size = std::snprintf(text, sizeof text - 1, "photofinish: %s", line);
  const std::size_t length = std::min<std::size_t>(static_cast<std::size_t>(size), sizeof text - 2);
  text[length] = '\n';
  (void)!write(STDERR_FILENO, text, length + 1);
}

void complain_once(const char* line) noexcept {
  static constinit std::atomic<bool> complained{false};
  if (!complained.exchange(true)) complain(line);
}

void complain(const char* line) noexcept {
  char text[4096];
  std::snprintf(text, sizeof text, "%s%s", g_rank_name, line);
  say_line(text);
}

Result<Recorder*> Recorder::start(const std::string& directory, RankDefinition rank,
                                  const Options& options) {
  auto* self = new Recorder;  // never deleted: threads may use it until the process ends
  const double ns_per_tick = rank.clock.ns_per_tick;
  while (ns_per_tick * static_cast<double>(1 << self->shift_) < kNsPerUnit) ++self->shift_;
  self->base_ = rank.clock.tick;
  rank.ticks_per_unit = std::uint64_t{1} << self->shift_;
  auto writer =
      TraceWriter::create(directory, rank, ns_per_tick * static_cast<double>(1 << self->shift_),
                          [](const std::string& line) { complain(line.c_str()); });
  if (!writer) {
    delete self;
    return writer.error();
  }
  self->writer_ = std::move(*writer);
  self->sites_ = std::make_unique<SiteTable>(*self->writer_, options.stack_depth);
  std::snprintf(g_rank_name, sizeof g_rank_name, "rank %d on %s: ", rank.rank.value,
                rank.host.c_str());
  pthread_atfork(nullptr, nullptr, [] {
    instance_.store(nullptr);
    if (Recorder* recorder = last_.exchange(nullptr)) recorder->writer_->abandon();
  });
  last_.store(self, std::memory_order_release);
  instance_.store(self, std::memory_order_release);
  watch_ending(*self->writer_);
  return self;
}

void Recorder::discard() {
  instance_.store(nullptr);
  if (Recorder* self = last_.exchange(nullptr)) self->writer_->discard();
}

void Recorder::stop(IncompleteReason reason, const char* why) noexcept {
  instance_.store(nullptr);
  if (Recorder* self = last_.load()) self->writer_->stop_recording(reason, why);
}

Task* Recorder::attach() {
  const TaskId id(tasks_.fetch_add(1));
  const TaskDefinition definition{.id = id, .os_thread = syscall(SYS_gettid)};
  Lane* lane = writer_->open_lane(definition);
  if (lane == nullptr) return nullptr;
  current_task_ = new Task(*sites_, id, lane);
  ThreadEnd::call(ThreadEnd::Step::Detach, detach);
  return current_task_;
}

void Recorder::finalized() {
  const TurnScope turn(TurnKind::Local, Turns::in_call());  // other threads may store turns
  writer_->note_state(RankState::Finalized, 0);
  writer_->flush();
}

void Recorder::aborting(int code) { writer_->note_state(RankState::Aborted, code); }

void Recorder::detach() {
  Task* const task = std::exchange(current_task_, nullptr);
  if (task == nullptr) return;
  guarded([&] {
    if (Recorder* recorder = get()) recorder->writer_->close_lane(task->lane);
    delete task;
  });
}

}  // namespace photofinish
