// The master receives into a buffer that all threads read. Fixed: a barrier between the two.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: received
// expect race: store @{receive} load @{read}
static int values[64], sums[4];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int mine[64];
  for (int i = 0; i < 64; ++i) mine[i] = i;
#pragma omp parallel num_threads(2)
  {
#pragma omp master
    MPI_Sendrecv(mine, 64, MPI_INT, 1 - rank, 0, values, 64, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
#pragma omp barrier
#endif
    const int self = omp_get_thread_num();
    if (self == 1)
      for (int i = 0; i < 64; ++i) sums[self] += values[i]; /*{read}*/
  }
  if (rank == 0) printf("received\n");
  MPI_Finalize();
  return 0;
}
