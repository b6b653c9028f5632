// Loads and stores of instrumented programs, and of programs that report them with photofinish_load
// and photofinish_store.
#pragma once

#include <cstdint>

#include "runtime/call_site.h"

namespace photofinish::mpi {

// Installs the hooks of the pass: from here on they are called for reachable memory.
void start_watching_memory();

// values.cpp: the same for a recorded or replayed rank. prepare_values() must run before main,
// because a function that is already running stays in the copy that it was entered in.
// start_watching_values() needs the journal.
void prepare_values();
void start_watching_values();
// A load or store of `bytes` (runtime_abi.h) is about to happen: what it will find is recorded, or
// replayed.
void check_values(CallSite call_site, const void* address, std::uint64_t bytes);

// The same for a rank of a confirming run that is recorded, or replayed. Its functions run in the
// copy that the race was found in, because access sites belong to that copy, and each access is
// checked just before it happens. Another rank may write in between, which is not recorded.
void start_watching_steered_values();

}  // namespace photofinish::mpi
