// MPI_MODE_NOCHECK asserts that no other rank wants the lock, so such a lock protects nothing: two
// ranks assert that and put to one address. Fixed: a message between them makes the assertion
// true.
#include "rma.h"
// run: ranks=3
// output: last was 2
// expect race: put @{put} put @{put}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
#ifdef FIXED
  if (rank == 2) hear(1);
#endif
  if (rank != 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, MPI_MODE_NOCHECK, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_unlock(0, win);
  }
#ifdef FIXED
  if (rank == 1) tell(2);
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("last was %d\n", LOAD(memory[0]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
