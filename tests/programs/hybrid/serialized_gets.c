// Threads take turns at MPI: a critical section keeps the calls apart, but does not complete them.
// Both gets write one buffer. Fixed: each completes before the section ends.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{get} store @{get}
static int result[8];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 1;
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    {
      MPI_Get(result, 8, MPI_INT, 1 - rank, 0, 8, MPI_INT, win); /*{get}*/
#ifdef FIXED
      MPI_Win_flush_local(1 - rank, win);
#endif
    }
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
