// Loads and stores of programs that were built with the pass, or that tell of them.
#pragma once

#include <cstdint>

#include "frontend/mpi/call_site.h"

namespace photofinish::mpi {

// From here on the pass's hooks are called for memory that others can reach.
void start_watching_memory();

// values.cpp: the same for a rank that is recorded or replayed. Before main, for functions stay in
// the copy that they were entered in; and once there is a journal.
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
