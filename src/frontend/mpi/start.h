// Starts and ends recording.
#pragma once

#include <cstdint>
#include <vector>

#include "record/start_info.h"

namespace photofinish {
class Recorder;
}

namespace photofinish::mpi {

// Before MPI_Init: notes the existing threads, and restores LD_PRELOAD for child processes.
void before_first_call();

// Whether MPI_Init has returned.
bool has_started();

// After MPI has started, before start_recording: whether this process is a replayed rank, or will
// be a recorded one.
bool is_replay();
bool will_be_recorded();

// External inputs of the program from before there was a journal (external_input.cpp).
std::vector<EarlyAnswer> take_early_answers();
// Whether this thread runs code of the program, not of MPI or the tool.
extern "C" bool photofinish_is_program();

// Before MPI_Finalize, on all ranks: completes the analysis.
void before_last_call();

// After MPI_Init: all ranks agree on the run directory, and each opens its trace there. Null if
// that failed, which one rank has reported, or if photofinish did not start this process.
// `session`: the MPI_Session, if the program creates one instead of calling MPI_Init; there is no
// MPI_COMM_WORLD then.
Recorder* start_recording(const void* session, std::uint64_t first_tick);

}  // namespace photofinish::mpi
