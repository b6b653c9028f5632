// A broadcast orders its root before the others, not the others before the root, nor each other.
// The bug: rank 1, which is not the root, puts before it, and ranks 0 and 2 get after it. Fixed:
// the root is rank 1.
#include "rma.h"
// run: ranks=4
// output: got 7 7
// expect race: put @{put} get @{get}
#ifdef FIXED
enum { kRoot = 1 };
#else
enum { kRoot = 0 };
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  const int seven = 7;
  int got = 0, told = rank, other = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 1) {
    MPI_Put(&seven, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(3, win);
  }
  MPI_Bcast(&told, 1, MPI_INT, kRoot, MPI_COMM_WORLD);
  if (rank == 0 || rank == 2) {
    MPI_Get(&got, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(3, win);
  }
  if (rank == 2) MPI_Send(&got, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&other, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("got %d %d\n", LOAD(got), LOAD(other));
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
