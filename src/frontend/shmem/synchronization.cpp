// Completion, order, barriers and locks.
#include "frontend/shmem/explored.h"
#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

// A call that completes what the PE did with the context.
void run_completing(CallSite call_site, Call family, Ctx context, Describes describe,
                    Part<const Interception&> made) {
  Interception call(family, call_site);
  call.waiting(
      [&](Context& c) {
        describe(c);
        expect_results(c, context);
      },
      [&] { made(call); }, kNothing, [&](Context& c) { complete_pending(c, context); });
}

void enter_set(Context& c, int first, int log_stride, int count, const long* sync) {
  c.event.fields.set(Field::comm, active_set(first, log_stride, count));
  add_buffer(c, BufferUse::ReadWrite, sync, static_cast<std::int64_t>(sizeof *sync));
}

steered::PeSet set_of(int first, int log_stride, int count) {
  return {first, 1 << (log_stride & 31), count};
}

// The lock of PE 0 is the lock.
void describe_lock(Context& c, const volatile long* lock) {
  add_target(c, BufferUse::TargetUpdate, const_cast<const long*>(lock), 0, 1, element_type<long>());
}

}  // namespace

SHMEM_ENTRY void shmem_quiet() {
  run_completing(CALL_SITE, ShmemCall::shmem_quiet, kDefaultContext, kNothing,
                 [](auto&) { SHMEM_REAL(shmem_quiet)(); });
}

SHMEM_ENTRY void shmem_ctx_quiet(Ctx context) {
  run_completing(
      CALL_SITE, ShmemCall::shmem_ctx_quiet, context, [&](Context& c) { set_context(c, context); },
      [&](auto&) { SHMEM_REAL(shmem_ctx_quiet)(context); });
}

SHMEM_ENTRY void shmem_fence() {
  Interception call(ShmemCall::shmem_fence, CALL_SITE);
  call.returning(kNothing, [] { SHMEM_REAL(shmem_fence)(); });
}

SHMEM_ENTRY void shmem_ctx_fence(Ctx context) {
  Interception call(ShmemCall::shmem_ctx_fence, CALL_SITE);
  call.returning([&](Context& c) { set_context(c, context); },
                 [&] { SHMEM_REAL(shmem_ctx_fence)(context); });
}

SHMEM_ENTRY void shmem_barrier_all() {
  run_completing(CALL_SITE, ShmemCall::shmem_barrier_all, kDefaultContext, kNothing, [](auto&) {
    if (!steered::barrier({})) SHMEM_REAL(shmem_barrier_all)();
  });
}

SHMEM_ENTRY void shmem_barrier(int first, int log_stride, int count, long* sync) {
  run_completing(
      CALL_SITE, ShmemCall::shmem_barrier, kDefaultContext,
      [&](Context& c) { enter_set(c, first, log_stride, count, sync); },
      [&](auto&) {
        if (!steered::barrier(set_of(first, log_stride, count)))
          SHMEM_REAL(shmem_barrier)(first, log_stride, count, sync);
      });
}

SHMEM_ENTRY void shmem_sync_all() {
  Interception call(ShmemCall::shmem_sync_all, CALL_SITE);
  call.waiting(kNothing, [] {
    if (!steered::synchronize({})) SHMEM_REAL(shmem_sync_all)();
  });
}

SHMEM_ENTRY void shmem_sync(int first, int log_stride, int count, long* sync) {
  Interception call(ShmemCall::shmem_sync, CALL_SITE);
  call.waiting([&](Context& c) { enter_set(c, first, log_stride, count, sync); },
               [&] {
                 if (!steered::synchronize(set_of(first, log_stride, count)))
                   SHMEM_REAL(shmem_sync)(first, log_stride, count, sync);
               });
}

SHMEM_ENTRY int shmem_team_sync(Team team) {
  Interception call(ShmemCall::shmem_team_sync, CALL_SITE);
  int result = 0;
  call.waiting([&](Context& c) { c.event.fields.set(Field::comm, team_set(team)); },
               [&] { result = SHMEM_REAL(shmem_team_sync)(team); }, [&] { call.exchange(result); },
               [&](Context& c) { c.event.result = result; });
  return result;
}

SHMEM_ENTRY void shmem_set_lock(volatile long* lock) {
  Interception call(ShmemCall::shmem_set_lock, CALL_SITE);
  call.waiting(
      [&](Context& c) { describe_lock(c, lock); },
      [&] { explored::acquire_lock(call, lock, [&] { SHMEM_REAL(shmem_set_lock)(lock); }); });
}

SHMEM_ENTRY int shmem_test_lock(volatile long* lock) {
  const CallSite call_site = CALL_SITE;
  Interception call(ShmemCall::shmem_test_lock, call_site);
  int held_by_other = 0;
  bool failed = false;
  const auto test = [&] {
    held_by_other = SHMEM_REAL(shmem_test_lock)(lock);
    failed = held_by_other != 0;
  };
  call.attempting([&] { explored::test_lock(call, call_site, lock, test, failed); },
                  [&] {
                    call.exchange(held_by_other);
                    failed = held_by_other != 0;
                  },
                  failed, [&](Context& c) { describe_lock(c, lock); });
  if (failed) call.make_progress();
  return held_by_other;
}

// It completes the operations of the default context before it releases the lock.
SHMEM_ENTRY void shmem_clear_lock(volatile long* lock) {
  run_completing(
      CALL_SITE, ShmemCall::shmem_clear_lock, kDefaultContext,
      [&](Context& c) { describe_lock(c, lock); },
      [&](const Interception& call) {
        explored::release_lock(call, lock, [&] { SHMEM_REAL(shmem_clear_lock)(lock); });
      });
}

}  // namespace photofinish::shmem
