// Rank 0 puts, and notifies rank 2 through rank 1: 0 → 1 → 2. The bug: rank 1 sends before it has
// received.
#include "rma.h"
// run: ranks=4
// output: got 7
// expect race: put @{put} get @{get}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  const int seven = 7;
  int got = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&seven, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(3, win);
    tell(1);
  } else if (rank == 1) {
#ifdef FIXED
    hear(0);
    tell(2);
#else
    tell(2);
    hear(0);
#endif
  } else if (rank == 2) {
    hear(1);
    MPI_Get(&got, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(3, win);
    printf("got %d\n", LOAD(got));
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
