// Threads fill a partition each and declare it ready. One stores to its own again while the send
// is active. Fixed: only before.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2 mpi=mpich
// output: done
// expect race: load @{ready} store @{again}
enum { kPartitions = 4, kCount = 8 };
static int outgoing[kPartitions][kCount], incoming[kPartitions][kCount];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(outgoing, kPartitions, kCount, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    MPI_Start(&request);
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int i = 0; i < kPartitions; ++i) {
      for (int k = 0; k < kCount; ++k) outgoing[i][k] = i;
      MPI_Pready(i, request); /*{ready}*/
#ifndef FIXED
      if (i == 3) outgoing[i][0] = 0; /*{again}*/
#endif
    }
  } else {
    MPI_Precv_init(incoming, kPartitions, kCount, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL,
                   &request);
    MPI_Start(&request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
