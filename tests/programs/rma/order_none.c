// Calls that create no order: MPI_Win_sync, a lock and unlock by both, a failed test, a flush by
// the reader, a message to another rank, a collective without data. Rank 0 puts; rank 2 gets,
// without synchronization with rank 0. Fixed: a message from rank 0.
#include "rma.h"
// run: ranks=4
// output: got 7
// expect race: put @{put} get @{get}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win, guard;
  int_window(1, &win);
  int_window(1, &guard);
  const int seven = 7;
  int got = 0, nothing = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 2) MPI_Irecv(&nothing, 1, MPI_INT, 3, 9, MPI_COMM_WORLD, &request);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(1, win);
    MPI_Win_sync(win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, guard);
    MPI_Win_unlock(1, guard);
    tell(3);
#ifdef FIXED
    tell(2);
#endif
  }
  MPI_Bcast(&nothing, 0, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 2) {
    int done = 0;
#ifdef FIXED
    hear(0);
#endif
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    CHECK(!done);  // rank 3 sends at the very end
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, guard);
    MPI_Win_unlock(1, guard);
    MPI_Win_sync(win);
    MPI_Win_flush(1, win);
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(1, win);
    printf("got %d\n", LOAD(got));
    tell(3);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 3) {
    hear(0);
    hear(2);
    MPI_Send(&nothing, 1, MPI_INT, 2, 9, MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&guard);
  MPI_Win_free(&win);
  MPI_Finalize();
}
