// Correct: who makes a task with if(0) waits for it; a final task's tasks are part of it.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 2
// expect no race
static int values[16], more[16], mine[16] = {0, 1};
static int seen;

static void exchange(int tag, int* in) {
  MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, tag, in, 16, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task if (0)
    exchange(0, values);
    seen = values[1];
#pragma omp task final(1)
    {
#pragma omp task
      exchange(1, more);
      seen += more[1];
    }
  }
  if (rank == 0) printf("%d\n", seen);
  MPI_Finalize();
  return 0;
}
