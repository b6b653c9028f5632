// The neighbors of a communicator with a topology, in the order of the neighborhood collectives'
// buffers.
#pragma once

#include "frontend/mpi/objects.h"

namespace photofinish::mpi {

void describe_topology(MPI_Comm comm, CommRecord& record);

}  // namespace photofinish::mpi
