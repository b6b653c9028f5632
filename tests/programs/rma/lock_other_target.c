// The owner loads and stores its own window memory under a lock on another rank: not the lock that
// the other ranks take. Fixed: all of them lock rank 0.
#include "rma.h"
// run: ranks=3
// output: counted 2
// expect race: put @{put} store @{store}
// expect race by hand: put @{put} load @{store}
// expect race: get @{get} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* count = int_window(1, &win);
#ifdef FIXED
  const int locked = 0;
#else
  const int locked = rank == 0 ? 2 : 0;
#endif
  int mine = 0;
  if (rank < 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, locked, 0, win);
  if (rank == 0) {
    STORE(count[0], LOAD(count[0]) + 1); /*{store}*/
  } else if (rank == 1) {
    MPI_Get(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(0, win);
    STORE(mine, LOAD(mine) + 1);
    MPI_Put(&mine, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
  }
  if (rank < 2) MPI_Win_unlock(locked, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("counted %d\n", LOAD(count[0]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
