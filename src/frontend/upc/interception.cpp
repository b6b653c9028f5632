#include "frontend/upc/interception.h"

#include <cstdlib>
#include <string_view>

#include "frontend/mpi/start.h"
#include "options/options.h"

namespace photofinish::upc {
namespace {

bool is_set(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool records_calls_of_mpi() {
  if (is_set("PHOTOFINISH_REPLAY")) return true;
  const char* const text = std::getenv("PHOTOFINISH_OPTIONS");
  const auto options = parse_options(text != nullptr ? text : "");
  return options && !options->record.empty();
}

}  // namespace

// Asked first before MPI starts, when the environment is still that of the launcher.
bool passes_all_on() {
  static const bool passes = records_calls_of_mpi();
  return passes;
}

Interception::Interception(CallSite call_site) : call_site_(call_site) {
  if (mpi::is_inside(call_site) || passes_all_on()) return;
  recorder_ = Recorder::get();
  if (recorder_ == nullptr && !has_failed()) return;
  outermost_ = true;
  mpi::t_inside = call_site.frame;
  task_ = recorder_ != nullptr ? mpi::task_of(*recorder_) : nullptr;
  if (task_ != nullptr) steering_ = Steering::get();
  if (steering_ != nullptr && steering_->schedule().explores)
    explored_ = std::exchange(steering_, nullptr);
  if (task_ != nullptr && steering_ == nullptr && ThreadAccesses::any() &&
      !mpi::record_thread_accesses(*recorder_, *task_))
    task_ = nullptr;
  if (task_ == nullptr) {
    mpi::take_leave();
    return;
  }
  ParallelRegions::communicate();
  start_ = end_ = ticks();
}

Interception::~Interception() {
  if (outermost_) mpi::t_inside = 0;
}

void Interception::enter(Call call) {
  if (task_ == nullptr) {
    if (outermost_) mpi::before_passing_on(traits(call).action, 0);
    return;
  }
  task_->lane->entered(call, call_site_.pc);
  start_ = ticks();
}

bool add_target(Context& c, BufferUse use, const Position& at, std::uint64_t bytes) {
  c.event.fields.set(Field::target, static_cast<std::int64_t>(at.thread));
  const SharedMemory::Place place = SharedMemory::get().find(at.offset);
  if (place.region == WinId(0)) return false;
  c.event.fields.set(Field::win, place.region);
  if (bytes > 0)
    c.event.buffers.push_back({use, place.displacement, static_cast<std::int64_t>(bytes), {}});
  return true;
}

void add_buffer(Context& c, BufferUse use, const void* address, std::uint64_t bytes) {
  if (bytes > 0)
    c.event.buffers.push_back({use, reinterpret_cast<std::uint64_t>(address),
                               static_cast<std::int64_t>(bytes), TypeId(0)});
}

void name_object(Context& c, const Position& at) {
  c.event.fields.set(Field::target, static_cast<std::int64_t>(at.thread));
  const SharedMemory::Place place = SharedMemory::get().find(at.offset);
  if (place.region == WinId(0)) return;
  c.event.fields.set(Field::win, place.region);
  c.event.fields.set(Field::key, static_cast<std::int64_t>(place.displacement));
}

std::int64_t next_atomic() {
  static std::int64_t last = 0;
  return ++last;
}

}  // namespace photofinish::upc
