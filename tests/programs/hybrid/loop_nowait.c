// Each thread fills its half; one of them sends all of it. With nowait it does not wait for the
// other half. Fixed: without nowait.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{fill}
static double outgoing[128], incoming[128];
#ifdef FIXED
#define NOWAIT
#else
#define NOWAIT nowait
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(static) NOWAIT
    for (int i = 0; i < 128; ++i) outgoing[i] = i * 0.5; /*{fill}*/
    if (omp_get_thread_num() == 0)
      MPI_Sendrecv(outgoing, 128, MPI_DOUBLE, 1 - rank, 0, incoming, 128, /*{send}*/
                   MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
