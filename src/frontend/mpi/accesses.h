// Loads and stores of programs that were built with the pass, or that tell of them.
#pragma once

namespace photofinish::mpi {

// From here on the pass's hooks are called for memory that others can reach.
void start_watching_memory();

}  // namespace photofinish::mpi
