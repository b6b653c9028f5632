// Two threads call MPI at the same time: one sends from a buffer that the other receives into.
// Fixed: into a buffer of its own.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{receive}
static int shared[32], other[32];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
#ifdef FIXED
  int* const target = other;
#else
  int* const target = shared;
#endif
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0)
    MPI_Send(shared, 32, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD); /*{send}*/
  else
    MPI_Recv(target, 32, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
