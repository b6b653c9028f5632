// With strict_accumulate_ops: a sum and a maximum on one element. Advice: complete the first, then
// a barrier.
#include "../programs/rma/rma.h"
// run: ranks=2 env=PHOTOFINISH_OPTIONS:strict_accumulate_ops=1
// output: result 5
// expect race: accumulate @{sum} accumulate @{max}
// expect report buggy: Try: the same operation in both; or complete the first, then a barrier, before the second.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int one = 1, five = 5;
  MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win); /*{sum}*/
#ifdef FIXED
  MPI_Win_flush(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 1) MPI_Accumulate(&five, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAX, win); /*{max}*/
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("result %d\n", memory[0]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
