// Completion, order, barriers and locks.
#include "frontend/shmem/interception.h"
#include "frontend/shmem/pe_sets.h"

namespace photofinish::shmem {
namespace {

// A barrier completes what the PE did with the default context.
template <class Describe>
void enter_completing(Interception& call, Ctx context, Describe describe) {
  call.enter([&](Context& c) {
    describe(c);
    expect_results(c, context);
  });
}
void leave_completing(Interception& call, Ctx context) {
  call.leave([&](Context& c) { complete_pending(c, context); });
}

void enter_set(Context& c, int first, int log_stride, int count, const long* sync) {
  c.event.fields.set(Field::comm, active_set(first, log_stride, count));
  add_buffer(c, BufferUse::ReadWrite, sync, static_cast<std::int64_t>(sizeof *sync));
}

// The lock of PE 0 is the lock.
void describe_lock(Context& c, const volatile long* lock) {
  add_target(c, BufferUse::TargetUpdate, const_cast<const long*>(lock), 0, 1, element_type<long>());
}

}  // namespace

SHMEM_ENTRY void shmem_quiet() {
  Interception call(ShmemCall::shmem_quiet, CALL_SITE);
  enter_completing(call, kDefaultContext, [](Context&) {});
  SHMEM_REAL(shmem_quiet)();
  leave_completing(call, kDefaultContext);
}

SHMEM_ENTRY void shmem_ctx_quiet(Ctx context) {
  Interception call(ShmemCall::shmem_ctx_quiet, CALL_SITE);
  enter_completing(call, context, [&](Context& c) { set_context(c, context); });
  SHMEM_REAL(shmem_ctx_quiet)(context);
  leave_completing(call, context);
}

SHMEM_ENTRY void shmem_fence() {
  Interception call(ShmemCall::shmem_fence, CALL_SITE);
  SHMEM_REAL(shmem_fence)();
  call.append([](Context&) {});
}

SHMEM_ENTRY void shmem_ctx_fence(Ctx context) {
  Interception call(ShmemCall::shmem_ctx_fence, CALL_SITE);
  SHMEM_REAL(shmem_ctx_fence)(context);
  call.append([&](Context& c) { set_context(c, context); });
}

SHMEM_ENTRY void shmem_barrier_all() {
  Interception call(ShmemCall::shmem_barrier_all, CALL_SITE);
  enter_completing(call, kDefaultContext, [](Context&) {});
  SHMEM_REAL(shmem_barrier_all)();
  leave_completing(call, kDefaultContext);
}

SHMEM_ENTRY void shmem_barrier(int first, int log_stride, int count, long* sync) {
  Interception call(ShmemCall::shmem_barrier, CALL_SITE);
  enter_completing(call, kDefaultContext,
                   [&](Context& c) { enter_set(c, first, log_stride, count, sync); });
  SHMEM_REAL(shmem_barrier)(first, log_stride, count, sync);
  leave_completing(call, kDefaultContext);
}

SHMEM_ENTRY void shmem_sync_all() {
  Interception call(ShmemCall::shmem_sync_all, CALL_SITE);
  call.enter();
  SHMEM_REAL(shmem_sync_all)();
  call.leave();
}

SHMEM_ENTRY void shmem_sync(int first, int log_stride, int count, long* sync) {
  Interception call(ShmemCall::shmem_sync, CALL_SITE);
  call.enter([&](Context& c) { enter_set(c, first, log_stride, count, sync); });
  SHMEM_REAL(shmem_sync)(first, log_stride, count, sync);
  call.leave();
}

SHMEM_ENTRY int shmem_team_sync(Team team) {
  Interception call(ShmemCall::shmem_team_sync, CALL_SITE);
  call.enter([&](Context& c) { c.event.fields.set(Field::comm, team_set(team)); });
  const int result = SHMEM_REAL(shmem_team_sync)(team);
  call.leave([&](Context& c) { c.event.result = result; });
  return result;
}

SHMEM_ENTRY void shmem_set_lock(volatile long* lock) {
  Interception call(ShmemCall::shmem_set_lock, CALL_SITE);
  call.enter([&](Context& c) { describe_lock(c, lock); });
  SHMEM_REAL(shmem_set_lock)(lock);
  call.leave();
}

SHMEM_ENTRY int shmem_test_lock(volatile long* lock) {
  Interception call(ShmemCall::shmem_test_lock, CALL_SITE);
  const int held_by_other = SHMEM_REAL(shmem_test_lock)(lock);
  call.append_attempt(held_by_other != 0, [&](Context& c) { describe_lock(c, lock); });
  if (held_by_other != 0) call.make_progress();
  return held_by_other;
}

// It completes the operations of the default context before it releases the lock.
SHMEM_ENTRY void shmem_clear_lock(volatile long* lock) {
  Interception call(ShmemCall::shmem_clear_lock, CALL_SITE);
  enter_completing(call, kDefaultContext, [&](Context& c) { describe_lock(c, lock); });
  SHMEM_REAL(shmem_clear_lock)(lock);
  leave_completing(call, kDefaultContext);
}

}  // namespace photofinish::shmem
