// Loads and stores that the program tells of (include/photofinish/runtime_abi.h).
#include "frontend/mpi/interceptor.h"
#include "photofinish/runtime_abi.h"

namespace photofinish::mpi {
namespace {

void record(Call call, BufferUse use, const void* address, std::uint64_t bytes, Place place) {
  if (is_inside(place)) return;
  Recorder* recorder = Recorder::get();
  if (recorder == nullptr) return;
  Inside inside(place);
  Task* task = recorder->task();
  if (task == nullptr) return;
  Context c(*task, call);
  locate(c, place);
  c.event.result = 0;
  c.event.buffers.push_back({use, reinterpret_cast<std::uint64_t>(address), static_cast<std::int64_t>(bytes), TypeId(0)});
  const std::uint64_t now = ticks();
  append_event(c, *recorder, now, now);
}

}  // namespace
}  // namespace photofinish::mpi

#define PLACE                                                                                \
  photofinish::mpi::Place {                                                                  \
    reinterpret_cast<std::uint64_t>(__builtin_return_address(0)),                            \
        reinterpret_cast<std::uint64_t>(__builtin_frame_address(0))                          \
  }

extern "C" [[gnu::visibility("default")]] void photofinish_load(const void* address, std::uint64_t bytes) {
  photofinish::mpi::record(photofinish::Call::load, photofinish::BufferUse::Read, address, bytes, PLACE);
}

extern "C" [[gnu::visibility("default")]] void photofinish_store(void* address, std::uint64_t bytes) {
  photofinish::mpi::record(photofinish::Call::store, photofinish::BufferUse::Write, address, bytes, PLACE);
}
