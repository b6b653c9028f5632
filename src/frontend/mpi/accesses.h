// Loads and stores of programs that were built with the pass, or that tell of them.
#pragma once

namespace photofinish::mpi {

// From here on the pass's hooks are called for memory that others can reach.
void start_watching_memory();

// values.cpp: the same for a rank that is recorded or replayed. Before main, for functions stay in
// the copy that they were entered in; and once there is a journal.
void prepare_values();
void start_watching_values();

}  // namespace photofinish::mpi
