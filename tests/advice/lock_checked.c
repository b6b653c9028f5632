// Locks with MPI_MODE_NOCHECK protect nothing. Advice: locks without it.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: done
// expect race: put @{put} put @{put}
// expect report buggy: The accesses are concurrent: both locks are taken with MPI_MODE_NOCHECK, so they protect nothing, and no happens-before path orders the two puts.
// expect report buggy: Try: exclusive locks (MPI_LOCK_EXCLUSIVE) without MPI_MODE_NOCHECK in MPI_Win_lock lock_checked.c:*; or order the two puts with a barrier or a message.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
#ifdef FIXED
  const int assertion = 0;
#else
  const int assertion = MPI_MODE_NOCHECK;
#endif
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, assertion, win);
  MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
  MPI_Win_unlock(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
