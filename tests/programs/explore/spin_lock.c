// A spin lock made with compare-and-swap and released with MPI_Accumulate: either rank takes it
// first. The other one tries it in vain before the release, or not: two times two orders.
// run: ranks=2
// explore: all=4 outcomes=2
// outcome: rank 0 was first
// outcome: rank 1 was first
// not explored: the order of puts and gets: see photofinish confirm
// not explored: how often MPI_Compare_and_swap at spin_lock.c:23 repeats before the value changes
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, *words, zero = 0, one = 1, before;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &words, &win);
  MPI_Win_lock_all(0, win);
  words[0] = words[1] = 0;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  do {
    MPI_Compare_and_swap(&one, &zero, &before, MPI_INT, 0, 0, win);
    MPI_Win_flush(0, win);
  } while (before != 0);
  int turn;
  MPI_Get(&turn, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  if (turn == 0) printf("rank %d was first\n", rank);
  ++turn;
  MPI_Put(&turn, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
  MPI_Win_flush(0, win);
  MPI_Accumulate(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
  MPI_Win_flush(0, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
