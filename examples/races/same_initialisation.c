// UPC-Thrille, NPB FT 2.4: all ranks set the shared variable dbg_sum to 0 at the same time, before
// a barrier. Fixed: only one does.
#include "window.h"
// run: ranks=4
// output: dbg_sum 10
// expect confirmed, same outcome: put @{clear} put @{clear}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* dbg_sum = int_window(1, &win);
  const int nothing = 0, mine = rank + 1;
  MPI_Win_lock_all(0, win);
#ifdef FIXED
  if (rank == 0)
#endif
    MPI_Put(&nothing, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{clear}*/
  MPI_Win_flush(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Accumulate(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("dbg_sum %d\n", *dbg_sum);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
