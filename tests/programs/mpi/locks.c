// Passive target: both kinds of locks, the four flushes and sync, on a window of a communicator
// other than the world.
#include "check.h"
// run: ranks=4
// output: counted 3
// expect rank 1-3: MPI_Win_lock win=$win target=3 lock=exclusive assert=0
// expect rank 1-3: MPI_Get win=$win target=3 target_reads=+0x0+4(1xMPI_INT)
// expect rank 1-3: MPI_Win_flush win=$win target=3
// expect rank 1-3: MPI_Put win=$win target=3 target_writes=+0x0+4(1xMPI_INT)
// expect rank 1-3: MPI_Win_unlock win=$win target=3
// expect rank 1-3: MPI_Win_lock win=$win target=2 lock=shared assert=NOCHECK
// expect rank 1-3: MPI_Win_flush_local win=$win target=2
// expect rank 1-3: MPI_Win_unlock win=$win target=2
// expect rank 1-3: MPI_Win_lock_all win=$win assert=NOCHECK
// expect rank 1-3: MPI_Win_flush_all win=$win
// expect rank 1-3: MPI_Win_flush_local_all win=$win
// expect rank 1-3: MPI_Win_sync win=$win
// expect rank 1-3: MPI_Win_unlock_all win=$win
// expect not rank 0: MPI_Win_*

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, count = 0;
  _Alignas(64) int memory[2] = {0};  // MPICH 4.0 with UCX fails for windows that begin elsewhere
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm some;  // world ranks 3, 2, 1
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, -rank, &some);
  if (rank != 0) {
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, some, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    ++count;
    MPI_Put(&count, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(some);

    MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win);
    MPI_Accumulate(&count, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_local(1, win);
    MPI_Win_unlock(1, win);

    MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
    MPI_Win_flush_all(win);
    MPI_Win_flush_local_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(some);
    if (rank == 3) {
      MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
      printf("counted %d\n", memory[0]);
      MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    MPI_Comm_free(&some);
  }
  MPI_Finalize();
}
