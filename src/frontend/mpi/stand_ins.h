// Stand-in handles for a replayed rank. It runs without the other ranks, so it cannot create the
// objects that it shared with them. Its program still needs handles, to store, compare and free
// them, and to set names and attributes. If a single process can create an object of the kind, the
// stand-in is a real object.
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
// A window over the program's memory.
MPI_Win stand_in_win(void* base, MPI_Aint bytes);

// Maps window memory at the address that it had in the recorded rank. Null if the range is in use.
void* map_at(std::uint64_t address, std::uint64_t bytes);
// Maps all ranges of a list such as "fffff7000000+1000,…". Call it early, while they are still
// free.
void reserve_ranges(const char* text);

}  // namespace photofinish::mpi
