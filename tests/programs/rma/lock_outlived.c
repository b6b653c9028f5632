// Each rank takes the exclusive lock of a window that only serves as a lock, and puts to a second
// window. The unlock of the first window does not complete puts to the second, so the put outlives
// its lock. Fixed: a flush before the unlock.
#include "rma.h"
// run: ranks=3
// output: last was 1 or 2
// expect race: put @{put} put @{put}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win guard, data;
  int_window(1, &guard);
  int* memory = int_window(1, &data);
  MPI_Win_lock_all(0, data);
  if (rank != 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, guard);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, data); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(0, data);
#endif
    MPI_Win_unlock(0, guard);
  }
  MPI_Win_unlock_all(data);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && (LOAD(memory[0]) == 1 || LOAD(memory[0]) == 2)) printf("last was 1 or 2\n");
  MPI_Win_free(&data);
  MPI_Win_free(&guard);
  MPI_Finalize();
}
