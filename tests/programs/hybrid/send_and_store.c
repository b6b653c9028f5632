// One thread starts a send, another stores into its buffer. Fixed: the send is complete, and a
// barrier comes between.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{store}
static int values[256], incoming[256];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      MPI_Request requests[2];
      MPI_Irecv(incoming, 256, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(values, 256, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]); /*{send}*/
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
#ifdef FIXED
#pragma omp barrier
#endif
    if (omp_get_thread_num() == 1)
      for (int i = 0; i < 256; ++i) values[i] = i; /*{store}*/
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
