// A profiling tool linked into the program: its MPI_Send counts, and calls PMPI_Send.
#include <mpi.h>
#include <stdio.h>

static int g_sends;

int MPI_Send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++g_sends;
  return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  printf("tool: rank %d sent %d\n", rank, g_sends);
  return PMPI_Finalize();
}
