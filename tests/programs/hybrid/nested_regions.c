// A thread of an inner team receives, and a thread of the outer team reads. The end of the inner
// region orders the thread that started it only. Fixed: a barrier of the outer team.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen, also_seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp parallel num_threads(2)
      if (omp_get_thread_num() == omp_get_num_threads() - 1)
        MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, /*{receive}*/
                     0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      also_seen = values[2];
    }
#ifdef FIXED
#pragma omp barrier
#endif
    if (omp_get_thread_num() == 1) seen = values[3]; /*{read}*/
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
