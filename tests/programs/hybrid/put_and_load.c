// Rank 0 puts; a worker of rank 1 loads from the window behind a barrier of the ranks that its
// master calls. Fixed: the worker waits for its master.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 1
// expect race: put @{put} load @{load}
static volatile int seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const int one = 1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      if (rank == 0) {
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
        MPI_Win_flush(1, win);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
#ifdef FIXED
#pragma omp barrier
#endif
    if (omp_get_thread_num() == 1 && rank == 1) seen = memory[0]; /*{load}*/
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("1\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
