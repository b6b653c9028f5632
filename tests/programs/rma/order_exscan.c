// An exclusive prefix sum orders lower ranks before higher ones, and none before rank 0, which
// receives no data. Rank 1 puts before it, and rank 2 gets after it: correct. The bug: rank 0 gets,
// too. Fixed: after a gather to rank 0.
#include "rma.h"
// run: ranks=4
// output: got 7 7
// expect race: put @{put} get @{get0}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  const int seven = 7;
  int got = 0, sum = 0, all[4];
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Put(&seven, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(3, win);
  }
  MPI_Exscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#ifdef FIXED
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
#endif
  if (rank == 0) MPI_Get(&got, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{get0}*/
  if (rank == 2) MPI_Get(&got, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{get2}*/
  MPI_Win_unlock_all(win);
  MPI_Gather(&got, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("got %d %d\n", LOAD(all[0]), LOAD(all[2]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
