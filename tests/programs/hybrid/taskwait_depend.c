// A taskwait with a dependence waits for that task only. Fixed: for the one that receives.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16], other;
static volatile int seen;
#ifdef FIXED
#define WAITED values
#else
#define WAITED other
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : values)
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp task depend(out : other)
    other = 1;
#pragma omp taskwait depend(in : WAITED)
    seen = values[3]; /*{read}*/
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
