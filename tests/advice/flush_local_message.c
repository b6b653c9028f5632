// A put, MPI_Win_flush_local and a message: local completion says nothing about the target. Advice:
// MPI_Win_flush.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: read 7
// expect race: put @{put} load @{load}
// expect report buggy: Try: a barrier or a message between the put and the load. If the put comes first, complete it before the barrier or message (MPI_Win_flush, not MPI_Win_flush_local). In a loop: one after each of the two.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    const int value = 7;
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#else
    MPI_Win_flush_local(1, win);
#endif
    tell(1);
  } else {
    hear(0);
    MPI_Win_sync(win);
    printf("read %d\n", memory[0]); /*{load}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
