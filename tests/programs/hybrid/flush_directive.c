// Correct: a relaxed flag between flushes, the way OpenMP 3 programs hand data over.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 1
// expect no race
static int values[16], mine[16] = {0, 1};
static int seen, flag;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
#pragma omp flush
#pragma omp atomic write
    flag = 1;
#pragma omp flush
  } else {
    for (int ready = 0; ready == 0;) {
#pragma omp flush
#pragma omp atomic read
      ready = flag;
    }
#pragma omp flush
    seen = values[1];
  }
  if (rank == 0) printf("%d\n", seen);
  MPI_Finalize();
  return 0;
}
