// The target of a put stores to its window, many calls deep and in another file, without order to
// the put. Fixed: a barrier after the store, and the put's epoch begins after it.
#include "../rma/rma.h"
#include "parts/grid.h"
// run: ranks=2
// build: source=parts/grid.c
// output: cell 5
// output buggy: cell *
// expect race: put @{put} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  struct grid grid = {int_window(16, &win), 4};
  const int value = 5;
  if (rank == 1) grid_refine(&grid, 3);
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 5, 1, MPI_INT, win); /*{put}*/
  MPI_Win_unlock(1, win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
  if (rank == 1) printf("cell %d\n", grid.cells[5]);
  MPI_Win_unlock(1, win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
