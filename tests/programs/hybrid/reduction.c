// The master sends the sum of all threads. With nowait, the other thread may not have added its
// part yet. Fixed: without nowait, the loop ends with a barrier.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{add}
static int sum;
#ifdef FIXED
#define NOWAIT
#else
#define NOWAIT nowait
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int received = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp for reduction(+ : sum) NOWAIT /*{add}*/
    for (int i = 0; i < 64; ++i) sum += i;
    if (omp_get_thread_num() == 0)
      MPI_Sendrecv(&sum, 1, MPI_INT, 1 - rank, 0, &received, 1, MPI_INT, 1 - rank, 0, /*{send}*/
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
