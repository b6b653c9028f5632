#include "frontend/caf/meaning/meaning.h"

namespace photofinish {
namespace caf_meaning {

void CafMeaning::add(const Event& event, const Times& times) {
  effects_.enter(event, times);
  follow_definitions();
  if (!event.returned) return unreturned(event);
  if (effects_.program(event) || event.result != 0) return;
  switch (value_of(event.call)) {
    case value_of(CafCall::caf_init):
      if (effects_.awaits_region()) effects_.announce_region();
      return barrier(event);
    case value_of(CafCall::caf_finalize):
    case value_of(CafCall::caf_stop):
    case value_of(CafCall::caf_sync_all):
    case value_of(CafCall::caf_sync_team):
    case value_of(CafCall::caf_form_team):
    case value_of(CafCall::caf_change_team):
    case value_of(CafCall::caf_end_team):
      return barrier(event);
    case value_of(CafCall::caf_deregister):
      barrier(event);
      return withdraw(event);
    case value_of(CafCall::caf_register_component):
      return expose_component(event);
    case value_of(CafCall::caf_deregister_component):
      return withdraw(event);
    case value_of(CafCall::caf_sync_images):
      return sync_images(event);
    case value_of(CafCall::caf_lock):
      return lock(event, true);
    case value_of(CafCall::caf_unlock):
      return lock(event, false);
    case value_of(CafCall::caf_event_post):
      return event_variable(event, true);
    case value_of(CafCall::caf_event_wait):
      return event_variable(event, false);
    case value_of(CafCall::caf_co_broadcast):
    case value_of(CafCall::caf_co_sum):
    case value_of(CafCall::caf_co_min):
    case value_of(CafCall::caf_co_max):
    case value_of(CafCall::caf_co_reduce):
      return collective(event);
    // allocate is register and sync all. Accesses are complete when they return, so sync memory
    // orders nothing that is not ordered.
    case value_of(CafCall::caf_register):
    case value_of(CafCall::caf_layout):
    case value_of(CafCall::caf_sync_memory):
    case value_of(CafCall::caf_error_stop):
    case value_of(CafCall::caf_fail_image):
      return;
    default:
      return operation(event);
  }
}

// The image waits in it: the others see who is missing. What precedes the call precedes the return
// of those that it has released.
void CafMeaning::unreturned(const Event& event) {
  if (concern(event) == Concern::Messages) report_steps(event);
  switch (value_of(event.call)) {
    case value_of(CafCall::caf_sync_images):
      sync_images(event);
      break;
    case value_of(CafCall::caf_unlock):
      lock(event, false);
      break;
    case value_of(CafCall::caf_event_post):
      event_variable(event, true);
      break;
    case value_of(CafCall::caf_co_broadcast):
    case value_of(CafCall::caf_co_sum):
    case value_of(CafCall::caf_co_min):
    case value_of(CafCall::caf_co_max):
    case value_of(CafCall::caf_co_reduce):
      synchronize_collective(event);
      break;
    default:
      break;
  }
  effects_.unreturned(event);
}

// --- messages

// Barriers also order the MPI messages of a program that uses both.
Meaning::Concern CafMeaning::concern(const Event& event) const {
  switch (value_of(event.call)) {
    case value_of(CafCall::caf_init):
    case value_of(CafCall::caf_finalize):
    case value_of(CafCall::caf_stop):
    case value_of(CafCall::caf_sync_all):
    case value_of(CafCall::caf_sync_team):
    case value_of(CafCall::caf_form_team):
    case value_of(CafCall::caf_change_team):
    case value_of(CafCall::caf_end_team):
    case value_of(CafCall::caf_deregister):
      return Concern::Messages;
    default:
      return Concern::Nothing;
  }
}

Meaning::Ending CafMeaning::ending(const Event& event) const {
  return event.call == CafCall::caf_finalize || event.call == CafCall::caf_stop ? Ending::Yes
                                                                                : Ending::No;
}

}  // namespace caf_meaning

std::unique_ptr<Meaning> caf_meaning_of(Timeline& effects) {
  return std::make_unique<caf_meaning::CafMeaning>(effects);
}

}  // namespace photofinish
