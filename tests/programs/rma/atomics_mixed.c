// Atomics with different operations on one address are common in locks and counters, and are no
// race: fetch_and_op with compare_and_swap, a sum with a replace, a maximum with a sum, and a read
// with MPI_NO_OP with all of them.
#include "rma.h"
// run: ranks=4
// output: swapped once
// expect no race

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(4, &win);
  int old[4] = {0}, one = 1, zero = 0, swaps = 0, swapped = 0;
  MPI_Win_lock_all(0, win);
  // Address 0: compare_and_swap and MPI_NO_OP. Address 1: sum and maximum. Address 2: replace and
  // compare_and_swap.
  MPI_Compare_and_swap(&one, &zero, &old[0], MPI_INT, 0, 0, win);
  MPI_Fetch_and_op(NULL, &old[1], MPI_INT, 0, 0, MPI_NO_OP, win);
  MPI_Win_flush(0, win);
  swapped = LOAD(old[0]) == 0;
  CHECK(LOAD(old[1]) == 1);
  MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, rank % 2 ? MPI_SUM : MPI_MAX, win);
  if (rank % 2)
    MPI_Accumulate(&rank, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_REPLACE, win);
  else
    MPI_Compare_and_swap(&rank, &zero, &old[2], MPI_INT, 0, 2, win);
  MPI_Fetch_and_op(&one, &old[3], MPI_INT, 0, 3, rank < 2 ? MPI_SUM : MPI_BXOR, win);
  MPI_Win_unlock_all(win);
  MPI_Reduce(&swapped, &swaps, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && swaps == 1 && LOAD(memory[0]) == 1) printf("swapped once\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
