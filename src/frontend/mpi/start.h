// From the first MPI call to the first event.
#pragma once

#include <cstdint>
#include <vector>

#include "record/start_info.h"

namespace photofinish {
class Recorder;
}

namespace photofinish::mpi {

// Before MPI_Init: whatever MPI or the program starts from now on is not ours to watch.
void before_first_call();

// Whether MPI_Init has returned, or was never ours to watch.
bool has_started();

// After MPI has started, before start_recording: whether this process is a replayed rank, or will
// be a recorded one.
bool is_replay();
bool will_be_recorded();

// External inputs of the program from before there was a journal (external_input.cpp).
std::vector<EarlyAnswer> take_early_answers();

// Before MPI_Finalize, on all ranks: what is left of the analysis.
void before_last_call();

// After it: all ranks agree on the run directory, and each opens its trace in it. Null if that
// failed, which rank 0 has said, or if this process was not started by photofinish. `session`: the
// MPI_Session that was made instead of MPI_Init; there is no MPI_COMM_WORLD to agree over.
Recorder* start_recording(const void* session, std::uint64_t first_tick);

}  // namespace photofinish::mpi
