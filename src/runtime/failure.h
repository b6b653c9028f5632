// What happens when the tool itself fails inside the user's process: no memory, a full disk, a
// CHECK that does not hold.
//
// Rule: nothing of ours ends the program, or lets an exception of ours reach it. Our half of every
// wrapper, hook and callback is inside `guarded`. The first failure ends recording and analysis in
// this rank for good: the reason goes to the live file, one line to standard error, and every
// wrapper passes its call on. The other ranks hear of it with the next exchange, which this rank
// still takes part in (frontend/mpi/online.h), and stop, too.
// Invariant: from the failure on the tool allocates nothing, and writes no file, in this rank,
// except in guarded attempts to save findings at the end.
// Only exceptions that derive from std::exception are caught: all of ours do. What the program
// throws through an MPI call, and a thread that is cancelled, pass.
#pragma once

#include <exception>

#include "model/definitions.h"

namespace photofinish {

// From now on this rank records and analyzes nothing. Without an allocation, a lock or a call of
// MPI; from any thread. Only the first counts.
void fail(IncompleteReason reason, const char* why) noexcept;
[[gnu::cold, gnu::noinline]] void fail(const std::exception& error) noexcept;
// Whether that has happened.
bool has_failed() noexcept;
// Called once, from fail(): the front end's share.
void on_failure(void (*act)() noexcept) noexcept;

// Runs what is ours; false if it failed.
template <class Half>
[[gnu::always_inline]] inline bool guarded(Half&& half) {
  try {
    half();
    return true;
  } catch (const std::exception& error) {
    fail(error);
    return false;
  }
}

}  // namespace photofinish
