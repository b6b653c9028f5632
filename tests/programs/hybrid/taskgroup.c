// A task of a task receives, and the task above reads what was received. Fixed: in a taskgroup,
// which waits for both.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen;

static void receive_in_a_task(void) {
#pragma omp task
  {
#pragma omp task
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#ifdef FIXED
#pragma omp taskgroup
#endif
    {
      receive_in_a_task();
    }
    seen = values[3]; /*{read}*/
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
