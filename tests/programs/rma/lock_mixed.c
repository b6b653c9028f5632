// An exclusive lock excludes readers with shared locks: rank 1 puts, rank 2 gets, rank 3 gets under
// MPI_Win_lock_all, the owner loads under a lock on itself. Any order is correct, and there is no
// race.
#include "rma.h"
// run: ranks=4
// output: all saw both or neither
// expect no race

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(2, &win);
  int pair[2] = {0, 0};
  for (int round = 1; round <= 5; ++round) {
    if (rank == 1) {
      const int now[2] = {round, round};
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
      MPI_Put(now, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
      MPI_Win_unlock(0, win);
      continue;
    }
    if (rank == 3)
      MPI_Win_lock_all(0, win);
    else
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    if (rank == 0) {
      pair[0] = LOAD(memory[0]);
      pair[1] = LOAD(memory[1]);
    } else {
      MPI_Get(pair, 2, MPI_INT, 0, 0, 2, MPI_INT, win);
    }
    if (rank == 3)
      MPI_Win_unlock_all(win);
    else
      MPI_Win_unlock(0, win);
    CHECK(LOAD(pair[0]) == LOAD(pair[1]));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("all saw both or neither\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
