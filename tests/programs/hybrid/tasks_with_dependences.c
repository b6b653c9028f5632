// A task receives, another one reads what it received. Fixed: the second depends on the first.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[8], sum;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int mine[8] = {1, 2, 3, 4, 5, 6, 7, 8};
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#ifdef FIXED
#pragma omp task depend(out : values)
#else
#pragma omp task
#endif
    MPI_Sendrecv(mine, 8, MPI_INT, 1 - rank, 0, values, 8, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
#pragma omp task depend(in : values)
#else
#pragma omp task
#endif
    for (int i = 0; i < 8; ++i) sum += values[i]; /*{read}*/
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
