// Determines the neighbors of a communicator with a topology, in the order of the blocks in the
// buffers of neighborhood collectives.
#pragma once

#include "frontend/mpi/objects.h"

namespace photofinish::mpi {

void describe_topology(MPI_Comm comm, CommRecord& record);

}  // namespace photofinish::mpi
