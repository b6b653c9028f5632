// Loads and stores of instrumented programs, and of programs that report them with photofinish_load
// and photofinish_store.
#pragma once

namespace photofinish::mpi {

// Installs the hooks of the pass: from here on they are called for reachable memory.
void start_watching_memory();

// values.cpp: the same for a recorded or replayed rank. prepare_values() must run before main,
// because a function that is already running stays in the copy that it was entered in.
// start_watching_values() needs the journal.
void prepare_values();
void start_watching_values();

}  // namespace photofinish::mpi
