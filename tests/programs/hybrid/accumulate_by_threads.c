// Threads add to one element of the other rank, which is atomic; one of them also reads it with a
// get, which is not. Fixed: with an atomic read.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: accumulate @{add} get @{read}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int* memory;
  MPI_Win win;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const int one = 1;
#pragma omp parallel num_threads(2)
  {
    MPI_Accumulate(&one, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_SUM, win); /*{add}*/
    if (omp_get_thread_num() == 1) {
      MPI_Win_flush(1 - rank, win);
      int now;
#ifdef FIXED
      MPI_Fetch_and_op(NULL, &now, MPI_INT, 1 - rank, 0, MPI_NO_OP, win);
#else
      MPI_Get(&now, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, win); /*{read}*/
#endif
      MPI_Win_flush(1 - rank, win);
    }
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
