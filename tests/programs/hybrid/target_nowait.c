// A task receives, a deferred target region changes what it received, on the host, and a third task
// reads the result. Fixed: the target region depends on the receive, and the read depends on both.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} store @{change}
static int values[8];
static long sum;

#ifdef FIXED
#define CHANGES depend(inout : values)
#else
#define CHANGES
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int mine[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : values)
    MPI_Sendrecv(mine, 8, MPI_INT, 1 - rank, 0, values, 8, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp target nowait CHANGES map(tofrom : values)
    for (int i = 0; i < 8; ++i) values[i] += 7; /*{change}*/
#pragma omp task depend(in : values)
    for (int i = 0; i < 8; ++i) sum += values[i];
#pragma omp taskwait
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
