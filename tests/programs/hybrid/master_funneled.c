// The master sends what the team fills, one message for each step. `omp master` has no barrier of
// its own. Fixed: the others wait until the send is done.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{fill}
enum { kSteps = 4 };
static int outgoing[64], incoming[64];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
#pragma omp parallel num_threads(2)
  for (int step = 0; step < kSteps; ++step) {
#pragma omp for
    for (int i = 0; i < 64; ++i) outgoing[i] = i + step; /*{fill}*/
#pragma omp master
    {
      MPI_Request requests[2];
      MPI_Irecv(incoming, 64, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(outgoing, 64, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]); /*{send}*/
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
#ifdef FIXED
#pragma omp barrier
#endif
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
