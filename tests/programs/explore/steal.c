// Work stealing with compare-and-swap: two thieves read the head of a queue with one task and try
// to take it. Six orders of the atomic operations; the winner and the failed attempts differ.
// run: ranks=3
// explore: all=6 outcomes=4
// outcome: thief 1, 0 failed
// outcome: thief 2, 0 failed
// outcome: thief 1, 1 failed
// outcome: thief 2, 1 failed
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, *head;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &head, &win);
  MPI_Win_lock_all(0, win);
  *head = 0;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  int mine[2] = {0, 0}, all[2];  // the winner, failed attempts
  while (rank > 0) {
    int seen, none = 0, next = 1, before;
    MPI_Fetch_and_op(&none, &seen, MPI_INT, 0, 0, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    if (seen == 1) break;
    MPI_Compare_and_swap(&next, &seen, &before, MPI_INT, 0, 0, win);
    MPI_Win_flush(0, win);
    if (before == seen) {
      mine[0] = rank;
      break;
    }
    ++mine[1];
  }
  MPI_Win_unlock_all(win);
  MPI_Reduce(mine, all, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("thief %d, %d failed\n", all[0], all[1]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
