// Ranks add to a total of rank 0 with get, compute, put, under a shared lock. Advice: one exclusive
// lock around all of it.
#include "../programs/rma/rma.h"
// run: ranks=4
// output: total 40
// expect race: get @{get} put @{put}
// expect race: put @{put} put @{put}
// expect report buggy: Try: complete the first access (MPI_Win_flush or MPI_Win_unlock, not MPI_Win_flush_local), then synchronize with a barrier or a message. For a read-modify-write: one exclusive lock (MPI_LOCK_EXCLUSIVE) around the get and the put, or one atomic (MPI_Fetch_and_op, MPI_Compare_and_swap or MPI_Get_accumulate).

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
#ifdef FIXED
  const int kind = MPI_LOCK_EXCLUSIVE;
#else
  const int kind = MPI_LOCK_SHARED;
#endif
  for (int i = 0; i < 10; ++i) {
    int value;
    MPI_Win_lock(kind, 0, 0, win);
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(0, win);
    ++value;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_unlock(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("total %d\n", memory[0]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
