// One thread starts a persistent send, another one waits for it; the first fills the buffer again.
// Fixed: it waits for the other thread first.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: load @{send} store @{fill}
enum { kSteps = 3 };
static int outgoing[32], incoming[32];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  MPI_Request requests[2];
  MPI_Send_init(outgoing, 32, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Recv_init(incoming, 32, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
#pragma omp parallel num_threads(2)
  for (int step = 0; step < kSteps; ++step) {
    if (omp_get_thread_num() == 0) MPI_Startall(2, requests); /*{send}*/
#pragma omp barrier
    if (omp_get_thread_num() == 1) MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#ifdef FIXED
#pragma omp barrier
#endif
    if (omp_get_thread_num() == 0) outgoing[step] = step; /*{fill}*/
#pragma omp barrier
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
