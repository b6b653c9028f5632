// Two tasks without a dependence, which one thread may run one after the other. Fixed: with one.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen;
#ifdef FIXED
#define OUT depend(out : values)
#define IN depend(in : values)
#else
#define OUT
#define IN
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
#pragma omp parallel num_threads(2)
  {
    // The other thread stays out of it.
#pragma omp master
    {
#pragma omp task OUT
      MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp task IN
      seen = values[3]; /*{read}*/
#pragma omp taskwait
    }
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
