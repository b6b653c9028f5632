// One thread starts a request-based get, another waits for it and reads. The first must not read
// without being told. Fixed: it is, by the end of the region.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{get} load @{read}
static int result[8];
static volatile int seen, also_seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  MPI_Request request;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0)
      MPI_Rget(result, 8, MPI_INT, 1 - rank, 0, 8, MPI_INT, win, &request); /*{get}*/
#pragma omp barrier
    if (omp_get_thread_num() == 1) {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      also_seen = result[2];
    }
#ifndef FIXED
    if (omp_get_thread_num() == 0) seen = result[5]; /*{read}*/
#endif
  }
  seen = result[5];
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
