// What MPI calls of a recorded or replayed rank send, receive and write: the part of the engine
// (replay/journaling.h) that knows requests, windows and collectives.
#pragma once

#include "frontend/mpi/context.h"
#include "replay/journaling.h"

namespace photofinish::mpi {

// Such a call is an entry of the journal, but is also made on replay, to free the stand-in.
constexpr bool frees_stand_in(Action action) {
  return action == Action::WinFree || action == Action::CommFree || action == Action::GroupFree;
}

// Before a call: publishes what it sends to others of the group. Memory that it may release is no
// longer watched.
void before_call(Journaling& journaling, Context& c, Action action, When when);
// What is in the program's memory now that a call has returned, or will be once the operation that
// it started completes.
void exchange_contents(Journaling& journaling, Context& c, Action action, When when);
// In a steered run, what the call started may be complete already: then what it wrote is in memory
// now, and the program may load it before the call that completes it.
void exchange_early(Journaling& journaling, Context& c, bool is_complete);

}  // namespace photofinish::mpi
