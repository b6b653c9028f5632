// A worker puts and flushes; its master calls the barrier of the ranks, and the other rank loads
// behind it. Fixed: the master waits for the worker first.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}
static volatile int seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  const int one = 1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1 && rank == 0) {
      MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
      MPI_Win_flush(1, win);
    }
#ifdef FIXED
#pragma omp barrier
#endif
    if (omp_get_thread_num() == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == 1) seen = memory[0]; /*{load}*/
    }
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
