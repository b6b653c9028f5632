// Handles for a replayed rank. It runs without the others, so that the objects it shared with them
// cannot be made again; its program needs handles all the same, to keep and to compare, to put
// names and attributes on, and to free. Where MPI lets a single process make such an object it is a
// real one.
#pragma once

#include "frontend/mpi/real.h"
#include "model/definitions.h"

namespace photofinish::mpi {

// With the error handler of its parent, if there is one, and no attributes.
MPI_Comm stand_in_comm(MPI_Comm parent);
// With the attributes of the original: MPI calls the program's functions that copy them.
MPI_Comm stand_in_duplicate(MPI_Comm original);
MPI_Group stand_in_group();
MPI_Message stand_in_message();
MPI_File stand_in_file();
MPI_Request stand_in_request();
void release_request(MPI_Request request);
// Over memory of the program's own.
MPI_Win stand_in_win(void* base, MPI_Aint bytes);

// Memory where the recorded rank had it, and what it can load and store through a window. Null if
// something else is there.
void* map_at(std::uint64_t address, std::uint64_t bytes);
// "fffff7000000+1000,…": all of them, before anything else can be there.
void reserve_ranges(const char* text);

}  // namespace photofinish::mpi
