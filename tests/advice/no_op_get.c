// Ranks add to a counter that another one polls with a get. Advice where any order is correct:
// MPI_Get_accumulate with MPI_NO_OP instead of the get.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: saw 2
// expect race: get @{poll} accumulate @{add}
// expect report buggy: Try: complete the first access (MPI_Win_flush, not MPI_Win_flush_local), then synchronize with a barrier or a message. If any order is correct: MPI_Get_accumulate with MPI_NO_OP instead of the get.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  const int one = 1;
  MPI_Win_lock_all(0, win);
  if (rank > 0) {
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /*{add}*/
    MPI_Win_flush(0, win);
  } else {
    int seen = 0;
    while (seen < 2) {
#ifdef FIXED
      MPI_Get_accumulate(NULL, 0, MPI_INT, &seen, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win);
#else
      MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{poll}*/
#endif
      MPI_Win_flush(0, win);
      sched_yield();
    }
    printf("saw %d\n", seen);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
