// Start and end of OpenSHMEM, contexts and teams.
//
// Open MPI's shmem_init starts MPI, and its shmem_finalize ends it: between them, the recorder and
// the analysis work as in an MPI program. A program may have called MPI_Init before. A replayed PE
// starts MPI alone, and no OpenSHMEM.
#include "frontend/mpi/start.h"
#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

// The way to start OpenSHMEM, and what it returned.
struct Start {
  Call family;
  Part<> made;
  int requested = MPI_THREAD_SINGLE;  // thread levels have the numbers of MPI
  int* provided = nullptr;
  int* result = nullptr;
};

void start_mpi(int requested) {
  int provided = 0;
  REAL(PMPI_Init_thread)(nullptr, nullptr, requested, &provided);
}

// Open MPI's shmem_finalize ends MPI, whoever started it.
void end_mpi() {
  int is_over = 0;
  REAL(PMPI_Finalized)(&is_over);
  if (is_over == 0) REAL(PMPI_Finalize)();
}

template <class Exchange>
void describe_start(Context& c, const Start& start, Exchange exchange) {
  if (start.provided != nullptr) exchange(*start.provided);
  if (start.result != nullptr) exchange(*start.result);
  SymmetricMemory::get().start();
  if (start.provided != nullptr) c.event.fields.set(Field::thread_level, *start.provided);
}

// The recording starts when the call has returned. No PE leaves it before all have come to
// start_recording(): until then, nobody writes to the static data of others.
void run_first(CallSite call_site, const Start& start) {
  mpi::Inside inside(call_site);
  guarded(mpi::before_first_call);
  const std::uint64_t begun = ticks();
  if (mpi::is_replay())
    start_mpi(start.requested);
  else
    start.made();
  const std::uint64_t end = ticks();
  guarded([] {
    if (mpi::will_be_recorded()) SymmetricMemory::get().keep_static_data();
  });
  Recorder* const recorder = mpi::start_recording(nullptr, begun);
  steered::start();
  Task* const task = recorder != nullptr ? mpi::task_of(*recorder) : nullptr;
  if (task == nullptr || !guarded([&] {
        Journaling* const journaling = Journaling::get();
        std::optional<Entry> entry;
        if (journaling != nullptr) entry.emplace(*journaling, *task);
        Context c(*task, start.family);
        mpi::locate(c, call_site);
        if (journaling != nullptr) journaling->ask_call(*task, start.family, c.event.site);
        describe_start(c, start, [&](int& value) {
          if (entry) entry->journal()(value);
        });
        if (entry) entry->close();
        if (journaling == nullptr || !journaling->replays()) append_event(c, *recorder, begun, end);
      }))
    mpi::take_leave();
}

void initialize(CallSite call_site, const Start& start) {
  if (mpi::is_inside(call_site)) return start.made();
  if (Recorder::get() == nullptr && !has_failed()) return run_first(call_site, start);
  Interception call(start.family, call_site);
  call.waiting(
      [](Context&) {
        if (const Journaling* journaling = Journaling::get();
            journaling != nullptr && !journaling->replays())
          SymmetricMemory::get().keep_static_data();
      },
      [&] {
        start.made();
        steered::start();
      },
      kNothing,
      [&](Context& c) { describe_start(c, start, [&](int& value) { call.exchange(value); }); });
}

}  // namespace

SHMEM_ENTRY void shmem_init() {
  initialize(CALL_SITE, {ShmemCall::shmem_init, [] { SHMEM_REAL(shmem_init)(); }});
}

SHMEM_ENTRY void start_pes(int count) {
  initialize(CALL_SITE, {ShmemCall::shmem_init, [&] { SHMEM_REAL(start_pes)(count); }});
}

SHMEM_ENTRY int shmem_init_thread(int requested, int* provided) {
  int result = 0;
  initialize(CALL_SITE, {ShmemCall::shmem_init_thread,
                         [&] { result = SHMEM_REAL(shmem_init_thread)(requested, provided); },
                         requested, provided, &result});
  return result;
}

SHMEM_ENTRY void shmem_finalize() {
  Interception call(ShmemCall::shmem_finalize, CALL_SITE);
  call.ending([] { SHMEM_REAL(shmem_finalize)(); }, [] { end_mpi(); });
}

SHMEM_ENTRY void shmem_global_exit(int status) {
  Interception call(ShmemCall::shmem_global_exit, CALL_SITE);
  call.waiting([&](Context& c) { c.event.fields.set(Field::code, status); },
               [&] {
                 if (Recorder* const recorder = Recorder::last()) recorder->aborting(status);
                 SHMEM_REAL(shmem_global_exit)(status);
               });
}

// --- contexts

namespace {

template <class Made>
int create(CallSite call_site, Ctx* context, Made made) {
  Interception call(ShmemCall::shmem_ctx_create, call_site);
  int result = 0;
  call.returning(
      kNothing, [&] { result = made(); },
      [&] {
        call.exchange(result);
        if (result == 0) call.exchange_address(*context);
      },
      [&](Context& c) {
        c.event.result = result;
        if (result == 0) set_context(c, *context);
      });
  return result;
}

}  // namespace

SHMEM_ENTRY int shmem_ctx_create(long options, Ctx* context) {
  return create(CALL_SITE, context, [&] { return SHMEM_REAL(shmem_ctx_create)(options, context); });
}

SHMEM_ENTRY int shmem_team_create_ctx(Team team, long options, Ctx* context) {
  return create(CALL_SITE, context,
                [&] { return SHMEM_REAL(shmem_team_create_ctx)(team, options, context); });
}

SHMEM_ENTRY void shmem_ctx_destroy(Ctx context) {
  Interception call(ShmemCall::shmem_ctx_destroy, CALL_SITE);
  call.waiting(
      [&](Context& c) {
        set_context(c, context);
        expect_results(c, context);
      },
      [&] { SHMEM_REAL(shmem_ctx_destroy)(context); }, kNothing,
      [&](Context& c) {
        complete_pending(c, context);
        forget_context(context);
      });
}

// --- teams (OpenSHMEM 1.5)

namespace {

template <class Made>
int split(CallSite call_site, Team parent, Team* team, Made made) {
  Interception call(ShmemCall::shmem_team_split, call_site);
  int result = 0;
  call.waiting([&](Context& c) { c.event.fields.set(Field::comm, team_set(parent)); },
               [&] { result = made(); },
               [&] {
                 call.exchange(result);
                 if (result == 0) call.exchange_address(*team);
               },
               [&](Context& c) {
                 c.event.result = result;
                 c.event.fields.set(Field::new_comm,
                                    new_team(result == 0 ? *team : nullptr, parent));
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
  call.waiting([&](Context& c) { c.event.fields.set(Field::comm, team_set(team)); },
               [&] { SHMEM_REAL(shmem_team_destroy)(team); }, kNothing,
               [&](Context&) { forget_team(team); });
}

}  // namespace photofinish::shmem
