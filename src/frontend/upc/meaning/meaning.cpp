#include "frontend/upc/meaning/meaning.h"

namespace photofinish {
namespace upc_meaning {

void UpcMeaning::add(const Event& event, const Times& times) {
  effects_.enter(event, times);
  follow_definitions();
  if (!event.returned) return unreturned(event);
  if (effects_.program(event) || event.result != 0) return;
  switch (value_of(event.call)) {
    case value_of(UpcCall::upc_init):
      if (effects_.awaits_region()) effects_.announce_region();
      return synchronize_all(event);
    case value_of(UpcCall::upc_finalize):
    case value_of(UpcCall::UPC_IN_ALLSYNC):
    case value_of(UpcCall::UPC_OUT_ALLSYNC):
      return synchronize_all(event);
    case value_of(UpcCall::upc_all_free):
    case value_of(UpcCall::upc_all_lock_free):
      synchronize_all(event);
      if (effects_.rank() == WorldRank(0)) release(event);  // which frees it for all
      return;
    case value_of(UpcCall::upc_barrier):
      return barrier(event);
    case value_of(UpcCall::upc_notify):
      return notify(event);
    case value_of(UpcCall::upc_wait):
      return wait(event);
    case value_of(UpcCall::upc_sync):
    case value_of(UpcCall::upc_synci):
      return complete(event);
    case value_of(UpcCall::upc_lock):
    case value_of(UpcCall::upc_lock_attempt):
      return lock(event, true);
    case value_of(UpcCall::upc_unlock):
      return lock(event, false);
    case value_of(UpcCall::bupc_sem_post):
      return semaphore(event, true);
    case value_of(UpcCall::bupc_sem_wait):
      return semaphore(event, false);
    case value_of(UpcCall::upc_alloc):
    case value_of(UpcCall::upc_global_alloc):
    case value_of(UpcCall::upc_all_alloc):
    case value_of(UpcCall::upc_global_lock_alloc):
    case value_of(UpcCall::upc_all_lock_alloc):
    case value_of(UpcCall::bupc_sem_alloc):
      return allocate(event);
    case value_of(UpcCall::upc_free):
    case value_of(UpcCall::upc_lock_free):
    case value_of(UpcCall::bupc_sem_free):
      return release(event);
    // Relaxed accesses are complete when they return, so upc_fence orders nothing that is not
    // ordered. It completes no transfer: only upc_sync does.
    case value_of(UpcCall::upc_fence):
    case value_of(UpcCall::upc_global_exit):
    case value_of(UpcCall::shared_object):
    case value_of(UpcCall::upc_all_atomicdomain_alloc):
    case value_of(UpcCall::upc_all_atomicdomain_free):
      return;
    default:
      return event.fields.has(Field::target) ? operation(event) : collective(event);
  }
}

// The thread waits in it: the others see who is missing.
void UpcMeaning::unreturned(const Event& event) {
  if (concern(event) == Concern::Messages)
    report_steps(event, event.call != UpcCall::upc_wait, true);
  effects_.unreturned(event);
}

// --- messages

// Barriers also order the MPI messages of a program that uses both.
Meaning::Concern UpcMeaning::concern(const Event& event) const {
  switch (value_of(event.call)) {
    case value_of(UpcCall::upc_init):
    case value_of(UpcCall::upc_finalize):
    case value_of(UpcCall::upc_barrier):
    case value_of(UpcCall::upc_notify):
    case value_of(UpcCall::upc_wait):
    case value_of(UpcCall::UPC_IN_ALLSYNC):
    case value_of(UpcCall::UPC_OUT_ALLSYNC):
    case value_of(UpcCall::upc_all_free):
    case value_of(UpcCall::upc_all_lock_free):
      return Concern::Messages;
    default:
      return Concern::Nothing;
  }
}

bool UpcMeaning::depends_on_others(const Event& event) const {
  const Action action = traits(event.call).action;
  return action == Action::Accumulate || action == Action::FetchAndOp ||
         action == Action::LockAcquire ||
         (event.call == UpcCall::bupc_sem_wait && event.fields.has(Field::flag));
}

Meaning::Ending UpcMeaning::ending(const Event& event) const {
  return event.call == UpcCall::upc_finalize ? Ending::Yes : Ending::No;
}

}  // namespace upc_meaning

std::unique_ptr<Meaning> upc_meaning_of(Timeline& effects) {
  return std::make_unique<upc_meaning::UpcMeaning>(effects);
}

}  // namespace photofinish
