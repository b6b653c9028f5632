// Whichever thread comes first receives, and all read. Fixed: without nowait, `single` ends with a
// barrier.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen[4];
#ifdef FIXED
#define NOWAIT
#else
#define NOWAIT nowait
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
#pragma omp parallel num_threads(4)
  {
#pragma omp single NOWAIT
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    seen[omp_get_thread_num()] = values[3]; /*{read}*/
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
