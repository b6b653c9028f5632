// Two ranks put to one address, each with a shared lock, which does not exclude the other. Fixed:
// exclusive locks.
#include "rma.h"
// run: ranks=3
// output: last was 1 or 2
// expect race: put @{put} put @{put}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
#ifdef FIXED
  const int kind = MPI_LOCK_EXCLUSIVE;
#else
  const int kind = MPI_LOCK_SHARED;
#endif
  if (rank != 0) {
    MPI_Win_lock(kind, 0, 0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && (LOAD(memory[0]) == 1 || LOAD(memory[0]) == 2)) printf("last was 1 or 2\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
