// Handles failures of the tool inside the user's process: out of memory, a full disk, a failed
// CHECK.
//
// Rule: the tool never ends the program, and none of its exceptions reach it. The tool's half of
// every wrapper, hook and callback is inside `guarded`. The first failure ends recording and
// analysis in this rank: the reason goes to the live file, one line to standard error, and every
// wrapper passes its call on. The other ranks learn of it in the next exchange, in which this rank
// still takes part (frontend/mpi/online.h), and stop, too.
//
// Invariant: after the failure the tool allocates nothing and writes no file in this rank, except
// in guarded attempts to save findings at the end. Only exceptions derived from std::exception are
// caught; all of ours are. Exceptions that the program throws through an MPI call, and thread
// cancellation, pass.
#pragma once

#include <exception>

#include "model/definitions.h"

namespace photofinish {

// Stops recording and analysis in this rank. Uses no allocation, lock or MPI call; callable from
// any thread. Only the first call counts.
void fail(IncompleteReason reason, const char* why) noexcept;
[[gnu::cold, gnu::noinline]] void fail(const std::exception& error) noexcept;
// Whether fail() was called.
bool has_failed() noexcept;
// Called once, from fail(), for the front end.
void on_failure(void (*act)() noexcept) noexcept;

// Runs code of the tool; false if it failed.
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
