// Turns of the threads of a recorded or replayed rank (runtime/turns.h).
#pragma once

#include <cstdint>

namespace photofinish::mpi {

// Once there is a journal.
void follow_turns();

// The hook of atomic operations (runtime_abi.h).
void note_atomic(std::uint64_t begins);

}  // namespace photofinish::mpi
