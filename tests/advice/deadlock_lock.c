// Rank 0 waits for rank 1 while it holds the lock that rank 1 wants. Advice: unlock first.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: rank 0 has 7
// expect deadlock
// expect report buggy: Try: unlock the window before waiting for other ranks.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int value = 7;
  if (rank == 0) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
#ifdef FIXED
    MPI_Win_unlock(0, win);
    hear(1);
#else
    hear(1);
    MPI_Win_unlock(0, win);
#endif
    printf("rank 0 has %d\n", memory[0]);
  } else {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    tell(0);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
