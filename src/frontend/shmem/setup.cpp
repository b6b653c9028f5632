// Start and end of OpenSHMEM, contexts and teams.
//
// Open MPI's shmem_init starts MPI, and its shmem_finalize ends it: between them, the recorder and
// the analysis work as in an MPI program. A program may have called MPI_Init before.
#include "frontend/mpi/start.h"
#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

// The recording starts when the call has returned.
template <class Made>
void run_first(Call call, CallSite call_site, Made made, const int* provided) {
  mpi::Inside inside(call_site);
  guarded(mpi::before_first_call);
  const std::uint64_t start = ticks();
  made();
  const std::uint64_t end = ticks();
  Recorder* const recorder = mpi::start_recording(nullptr, start);
  Task* const task = recorder != nullptr ? mpi::task_of(*recorder) : nullptr;
  if (task == nullptr || !guarded([&] {
        SymmetricMemory::get().start();
        Context c(*task, call);
        mpi::locate(c, call_site);
        if (provided != nullptr) c.event.fields.set(Field::thread_level, *provided);
        append_event(c, *recorder, start, end);
      }))
    mpi::take_leave();
}

template <class Made>
void initialize(Call family, CallSite call_site, Made made, const int* provided = nullptr) {
  if (mpi::is_inside(call_site)) return made();
  if (Recorder::get() == nullptr && !has_failed())
    return run_first(family, call_site, made, provided);
  Interception call(family, call_site);
  call.enter();
  made();
  call.leave([&](Context& c) {
    SymmetricMemory::get().start();
    if (provided != nullptr) c.event.fields.set(Field::thread_level, *provided);
  });
}

}  // namespace

SHMEM_ENTRY void shmem_init() {
  initialize(ShmemCall::shmem_init, CALL_SITE, [] { SHMEM_REAL(shmem_init)(); });
}

SHMEM_ENTRY void start_pes(int count) {
  initialize(ShmemCall::shmem_init, CALL_SITE, [&] { SHMEM_REAL(start_pes)(count); });
}

SHMEM_ENTRY int shmem_init_thread(int requested, int* provided) {
  int result = 0;
  initialize(
      ShmemCall::shmem_init_thread, CALL_SITE,
      [&] { result = SHMEM_REAL(shmem_init_thread)(requested, provided); }, provided);
  return result;
}

SHMEM_ENTRY void shmem_finalize() {
  Interception call(ShmemCall::shmem_finalize, CALL_SITE);
  call.enter();
  if (call.records()) mpi::before_last_call();
  SHMEM_REAL(shmem_finalize)();
  call.leave();
  if (call.records()) Recorder::last()->finalized();
}

SHMEM_ENTRY void shmem_global_exit(int status) {
  Interception call(ShmemCall::shmem_global_exit, CALL_SITE);
  call.enter([&](Context& c) { c.event.fields.set(Field::code, status); });
  if (call.records()) Recorder::last()->aborting(status);
  SHMEM_REAL(shmem_global_exit)(status);
}

// --- contexts

SHMEM_ENTRY int shmem_ctx_create(long options, Ctx* context) {
  Interception call(ShmemCall::shmem_ctx_create, CALL_SITE);
  const int result = SHMEM_REAL(shmem_ctx_create)(options, context);
  if (result == 0) call.append([&](Context& c) { set_context(c, *context); });
  return result;
}

SHMEM_ENTRY int shmem_team_create_ctx(Team team, long options, Ctx* context) {
  Interception call(ShmemCall::shmem_ctx_create, CALL_SITE);
  const int result = SHMEM_REAL(shmem_team_create_ctx)(team, options, context);
  if (result == 0) call.append([&](Context& c) { set_context(c, *context); });
  return result;
}

SHMEM_ENTRY void shmem_ctx_destroy(Ctx context) {
  Interception call(ShmemCall::shmem_ctx_destroy, CALL_SITE);
  call.enter([&](Context& c) {
    set_context(c, context);
    expect_results(c, context);
  });
  SHMEM_REAL(shmem_ctx_destroy)(context);
  call.leave([&](Context& c) {
    complete_pending(c, context);
    forget_context(context);
  });
}

// --- teams (OpenSHMEM 1.5)

namespace {

template <class Made>
int split(CallSite call_site, Team parent, Team* team, Made made) {
  Interception call(ShmemCall::shmem_team_split, call_site);
  call.enter([&](Context& c) { c.event.fields.set(Field::comm, team_set(parent)); });
  const int result = made();
  call.leave([&](Context& c) {
    c.event.result = result;
    c.event.fields.set(Field::new_comm, new_team(result == 0 ? *team : nullptr, parent));
  });
  return result;
}

}  // namespace

SHMEM_ENTRY int shmem_team_split_strided(Team parent, int first, int stride, int size,
                                         const void* config, long mask, Team* team) {
  return split(CALL_SITE, parent, team, [&] {
    return SHMEM_REAL(shmem_team_split_strided)(parent, first, stride, size, config, mask, team);
  });
}

SHMEM_ENTRY void shmem_team_destroy(Team team) {
  Interception call(ShmemCall::shmem_team_destroy, CALL_SITE);
  call.enter([&](Context& c) { c.event.fields.set(Field::comm, team_set(team)); });
  SHMEM_REAL(shmem_team_destroy)(team);
  call.leave([&](Context&) { forget_team(team); });
}

}  // namespace photofinish::shmem
