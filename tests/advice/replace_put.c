// Some ranks add to a counter, one resets it with a put. Advice where any order is correct:
// MPI_Accumulate with MPI_REPLACE instead of the put.
#include "../programs/rma/rma.h"
// run: ranks=3
// output: counter is 0, 1 or 2
// expect race: put @{reset} accumulate @{add}
// expect report buggy: Try: complete the first access (MPI_Win_flush or MPI_Win_unlock, not MPI_Win_flush_local), then synchronize with a barrier or a message. If any order is correct: MPI_Accumulate with MPI_REPLACE instead of the put.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int one = 1, zero = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  if (rank > 0) {
    MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /*{add}*/
  } else {
#ifdef FIXED
    MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
#else
    MPI_Put(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{reset}*/
#endif
  }
  MPI_Win_unlock(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && memory[0] >= 0 && memory[0] <= 2) printf("counter is 0, 1 or 2\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
