// A synchronous send completes after its receive has started, so it orders what precedes the
// receive before what follows the send: rank 1 puts, then receives; rank 0 gets after its
// MPI_Ssend. The bug: MPI_Send, which may return at once.
#include "rma.h"
// run: ranks=3
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
#ifdef FIXED
    MPI_Ssend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
#else
    MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
#endif
    MPI_Get(&got, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(2, win);
    printf("got %d\n", LOAD(got));
  } else if (rank == 1) {
    int from = 0;
    MPI_Put(&seven, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(2, win);
    MPI_Recv(&from, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
