// Start and end of the threads. The runtime starts MPI, and ends it.
#include "frontend/mpi/start.h"
#include "frontend/upc/interception.h"

namespace photofinish::upc {
namespace {

// For the names of elements in reports.
void describe_object(Recorder& recorder, const Context& init, const SharedMemory::Layout& layout,
                     std::uint64_t now) {
  const SiteId site = init.event.site;
  Context c(init.task, UpcCall::shared_object);
  c.event.site = site;
  c.event.fields.set(Field::win, layout.region);
  c.event.fields.set(Field::size, static_cast<std::int64_t>(layout.element));
  c.event.fields.set(Field::value, static_cast<std::int64_t>(layout.block));
  c.event.numbers = layout.extents;
  append_event(c, recorder, now, now);
}

}  // namespace

UPC_ENTRY void __upc_init(int* argc, char*** argv) {
  const CallSite call_site = CALL_SITE;
  if (passes_all_on()) return UPC_REAL(__upc_init)(argc, argv);
  mpi::Inside inside(call_site);
  guarded(mpi::before_first_call);
  const std::uint64_t begun = ticks();
  UPC_REAL(__upc_init)(argc, argv);
  const std::uint64_t end = ticks();
  Recorder* const recorder = mpi::start_recording(nullptr, begun);
  Task* const task = recorder != nullptr ? mpi::task_of(*recorder) : nullptr;
  if (task == nullptr || !guarded([&] {
        const auto layouts = SharedMemory::get().start();
        steered::start(SharedMemory::get());
        Context c(*task, UpcCall::upc_init);
        mpi::locate(c, call_site);
        append_event(c, *recorder, begun, end);
        for (const SharedMemory::Layout& layout : layouts)
          describe_object(*recorder, c, layout, end);
      }))
    mpi::take_leave();
}

UPC_ENTRY void __upc_finalize() {
  Interception call(CALL_SITE);
  call.ending(UpcCall::upc_finalize, [] { UPC_REAL(__upc_finalize)(); });
}

UPC_ENTRY void upc_global_exit(int status) {
  Interception call(CALL_SITE);
  call.waiting(
      UpcCall::upc_global_exit, [&](Context& c) { c.event.fields.set(Field::code, status); },
      [&] {
        if (call.records()) Recorder::last()->aborting(status);
        UPC_REAL(upc_global_exit)(status);
      },
      kNothing);
}

}  // namespace photofinish::upc
