// A reduction orders all ranks before the root, and no rank before the others. All put
// before it. The bug: rank 2 gets after it, but the root is rank 0. Fixed: the root is rank
// 2.
#include "rma.h"
// run: ranks=4
// output: got 0 1 2 3
// expect race: put @{put} get @{get}
#ifdef FIXED
enum { kRoot = 2 };
#else
enum { kRoot = 0 };
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(4, &win);
  int got[4] = {0}, sum = 0;
  MPI_Win_lock_all(0, win);
  MPI_Put(&rank, 1, MPI_INT, 3, rank, 1, MPI_INT, win); /*{put}*/
  MPI_Win_flush(3, win);
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, kRoot, MPI_COMM_WORLD);
  if (rank == 2) {
    MPI_Get(got, 4, MPI_INT, 3, 0, 4, MPI_INT, win); /*{get}*/
    MPI_Win_flush(3, win);
    printf("got %d %d %d %d\n", LOAD(got[0]), LOAD(got[1]), LOAD(got[2]), LOAD(got[3]));
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
