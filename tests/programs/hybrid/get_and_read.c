// One thread gets into a buffer, another reads it. Fixed: a barrier behind the flush.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 1 fetched
// expect race: store @{get} load @{read}
static int fetched[16];
static volatile int seen[2];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  for (int i = 0; i < 16; ++i) memory[i] = 1;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      MPI_Get(fetched, 16, MPI_INT, 1 - rank, 0, 16, MPI_INT, win); /*{get}*/
      MPI_Win_flush(1 - rank, win);
    }
#ifdef FIXED
#pragma omp barrier
#endif
    if (omp_get_thread_num() == 1) seen[1] = fetched[3]; /*{read}*/
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("%d fetched\n", fetched[3]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
