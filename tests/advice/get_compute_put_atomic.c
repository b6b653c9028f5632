// Get, compute, put inside MPI_Win_lock_all, where MPI_Win_lock is not allowed. Advice: one atomic.
#include "../programs/rma/rma.h"
// run: ranks=4
// output: total 40
// expect race: get @{get} put @{put}
// expect race: put @{put} put @{put}
// expect report buggy: Try: complete the first access (MPI_Win_flush, not MPI_Win_flush_local), then synchronize with a barrier or a message. For a read-modify-write: one atomic (MPI_Fetch_and_op, MPI_Compare_and_swap or MPI_Get_accumulate).

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < 10; ++i) {
    int value;
#ifdef FIXED
    const int one = 1;
    MPI_Fetch_and_op(&one, &value, MPI_INT, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
#else
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{get}*/
    MPI_Win_flush(0, win);
    ++value;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(0, win);
#endif
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("total %d\n", memory[0]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
