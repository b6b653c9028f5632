// Barriers, locks and semaphores.
#include "frontend/upc/explored.h"
#include "frontend/upc/interception.h"

namespace photofinish::upc {
namespace {

// Whether some thread reached the barrier by upc_notify.
void add_form(Context& c) {
  c.event.fields.set(Field::flag, runtime_variable<int>("__upc_barrier_was_split"));
}

void add_lock(Context& c, Typed lock) { name_object(c, position_of_indefinite(lock)); }
// The turn of the lock that the call began or ended.
void add_turn(Context& c) {
  c.event.fields.set(Field::value, runtime_variable<std::int64_t>("__upc_lock_turn"));
}

}  // namespace

UPC_ENTRY void __upc_barrier(int has, int given) {
  Interception call(CALL_SITE);
  call.waiting(
      UpcCall::upc_barrier, kNothing, [&] { UPC_REAL(__upc_barrier)(has, given); }, add_form);
}

UPC_ENTRY void __upc_notify(int has, int given) {
  Interception call(CALL_SITE);
  call.returning(UpcCall::upc_notify, [&] { UPC_REAL(__upc_notify)(has, given); }, kNothing);
}

UPC_ENTRY void __upc_wait(int has, int given) {
  Interception call(CALL_SITE);
  call.waiting(UpcCall::upc_wait, kNothing, [&] { UPC_REAL(__upc_wait)(has, given); }, kNothing);
}

UPC_ENTRY void __upc_fence() {
  Interception call(CALL_SITE);
  call.returning(UpcCall::upc_fence, [] { UPC_REAL(__upc_fence)(); }, kNothing);
}

// --- locks

UPC_ENTRY void upc_lock(Typed lock) {
  Interception call(CALL_SITE);
  call.waiting(
      UpcCall::upc_lock, [&](Context& c) { add_lock(c, lock); },
      [&] {
        explored::use_lock(call, explored::LockCall::Acquire, position_of_indefinite(lock), false,
                           [&] { UPC_REAL(upc_lock)(lock); });
      },
      add_turn);
}

UPC_ENTRY int upc_lock_attempt(Typed lock) {
  Interception call(CALL_SITE);
  int acquired = 0;
  bool failed = false;
  call.attempting(
      UpcCall::upc_lock_attempt,
      [&] {
        explored::use_lock(call, explored::LockCall::Attempt, position_of_indefinite(lock), failed,
                           [&] {
                             acquired = UPC_REAL(upc_lock_attempt)(lock);
                             failed = acquired == 0;
                           });
      },
      failed,
      [&](Context& c) {
        add_lock(c, lock);
        if (!failed) add_turn(c);
      });
  return acquired;
}

// Its event starts before the lock is released.
UPC_ENTRY void upc_unlock(Typed lock) {
  Interception call(CALL_SITE);
  call.waiting(
      UpcCall::upc_unlock, [&](Context& c) { add_lock(c, lock); },
      [&] {
        explored::use_lock(call, explored::LockCall::Release, position_of_indefinite(lock), false,
                           [&] { UPC_REAL(upc_unlock)(lock); });
      },
      add_turn);
}

// --- semaphores of Berkeley UPC

namespace {

// The units that the call posted or took: `count` of them, the last by number.
void add_units(Context& c, std::size_t count) {
  c.event.fields.set(Field::value, runtime_variable<std::int64_t>("__upc_semaphore_unit"));
  c.event.fields.set(Field::size, static_cast<std::int64_t>(count));
}

template <class Made>
void run_semaphore(CallSite call_site, Call what, Typed semaphore, std::size_t count, Made made) {
  Interception call(call_site);
  call.waiting(
      what, [&](Context& c) { add_lock(c, semaphore); }, made,
      [&](Context& c) { add_units(c, count); });
}

template <class Made>
int run_try(CallSite call_site, Typed semaphore, std::size_t count, Made made) {
  Interception call(call_site);
  int taken = 0;
  bool failed = false;
  call.attempting(
      UpcCall::bupc_sem_wait,
      [&] {
        taken = made();
        failed = taken == 0;
      },
      failed,
      [&](Context& c) {
        add_lock(c, semaphore);
        if (!failed) add_units(c, count);
      });
  return taken;
}

// The copy is complete before the post.
template <class Made>
void run_signalled(CallSite call_site, Generic to, const void* from, std::size_t bytes,
                   Typed semaphore, std::size_t count, Made made) {
  Interception call(call_site);
  const auto describe_copy = [&](Context& c) {
    add_buffer(c, BufferUse::Read, from, bytes);
    add_target(c, BufferUse::TargetWrite, position_of(to), bytes);
  };
  call.announce(UpcCall::bupc_memput_signal, describe_copy);
  call.also(UpcCall::bupc_memput_signal, describe_copy);
  call.waiting(
      UpcCall::bupc_sem_post, [&](Context& c) { add_lock(c, semaphore); }, made,
      [&](Context& c) { add_units(c, count); });
}

}  // namespace

UPC_ENTRY void bupc_sem_post(Typed semaphore) {
  run_semaphore(CALL_SITE, UpcCall::bupc_sem_post, semaphore, 1,
                [&] { UPC_REAL(bupc_sem_post)(semaphore); });
}
UPC_ENTRY void bupc_sem_postN(Typed semaphore, std::size_t count) {
  run_semaphore(CALL_SITE, UpcCall::bupc_sem_post, semaphore, count,
                [&] { UPC_REAL(bupc_sem_postN)(semaphore, count); });
}
UPC_ENTRY void bupc_sem_wait(Typed semaphore) {
  run_semaphore(CALL_SITE, UpcCall::bupc_sem_wait, semaphore, 1,
                [&] { UPC_REAL(bupc_sem_wait)(semaphore); });
}
UPC_ENTRY void bupc_sem_waitN(Typed semaphore, std::size_t count) {
  run_semaphore(CALL_SITE, UpcCall::bupc_sem_wait, semaphore, count,
                [&] { UPC_REAL(bupc_sem_waitN)(semaphore, count); });
}
UPC_ENTRY int bupc_sem_try(Typed semaphore) {
  return run_try(CALL_SITE, semaphore, 1, [&] { return UPC_REAL(bupc_sem_try)(semaphore); });
}
UPC_ENTRY int bupc_sem_tryN(Typed semaphore, std::size_t count) {
  return run_try(CALL_SITE, semaphore, count,
                 [&] { return UPC_REAL(bupc_sem_tryN)(semaphore, count); });
}
UPC_ENTRY void bupc_memput_signal(Generic to, const void* from, std::size_t bytes, Typed semaphore,
                                  std::size_t count) {
  run_signalled(CALL_SITE, to, from, bytes, semaphore, count,
                [&] { UPC_REAL(bupc_memput_signal)(to, from, bytes, semaphore, count); });
}
UPC_ENTRY void bupc_memput_signal_async(Generic to, const void* from, std::size_t bytes,
                                        Typed semaphore, std::size_t count) {
  run_signalled(CALL_SITE, to, from, bytes, semaphore, count,
                [&] { UPC_REAL(bupc_memput_signal_async)(to, from, bytes, semaphore, count); });
}

// Its test for messages is none of the program.
UPC_ENTRY void bupc_poll() {
  Interception call(CALL_SITE);
  UPC_REAL(bupc_poll)();
}

}  // namespace photofinish::upc
