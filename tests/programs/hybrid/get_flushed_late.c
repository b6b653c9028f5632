// One thread gets, another reads behind a barrier of the team. The get is complete at its flush:
// the barrier must come after that. Fixed: it does.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{get} load @{read}
static int result[8];
static volatile int seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      MPI_Get(result, 8, MPI_INT, 1 - rank, 0, 8, MPI_INT, win); /*{get}*/
#ifdef FIXED
      MPI_Win_flush(1 - rank, win);
#endif
    }
#pragma omp barrier
    if (omp_get_thread_num() == 1) seen = result[5]; /*{read}*/
#ifndef FIXED
    if (omp_get_thread_num() == 0) MPI_Win_flush(1 - rank, win);
#endif
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
