// MC-Checker, figure 2d: P0 puts to an address that P1, the owner, stores to, each with a shared
// lock. Fixed: both locks are exclusive, so either the put or the store comes first.
#include "rma.h"
// run: ranks=2
// output: X is 7 or 9
// expect race: put @{put} store @{store}
#ifdef FIXED
#define LOCK MPI_LOCK_EXCLUSIVE
#else
#define LOCK MPI_LOCK_SHARED
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* X = int_window(1, &win);
  const int seven = 7;
  MPI_Win_lock(LOCK, 1, 0, win);
  if (rank == 0) MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
  if (rank == 1) STORE(X[0], 9);                                     /*{store}*/
  MPI_Win_unlock(1, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1 && (LOAD(X[0]) == 7 || LOAD(X[0]) == 9)) printf("X is 7 or 9\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
