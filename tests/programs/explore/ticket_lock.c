// A ticket lock that polls, in a shared lock epoch for each attempt. The tickets have two orders.
// The second rank reads `serving` first before the first one reads it, between that and its
// increment (and again afterwards), or after it: 2 * 3 orders.
// run: ranks=2
// explore: all=6 outcomes=2
// outcome: rank 0 has ticket 0
// outcome: rank 0 has ticket 1
// not explored: how often MPI_Fetch_and_op at ticket_lock.c:18 repeats before the value changes
#include <mpi.h>
#include <stdio.h>

enum { kTicket, kServing };
static MPI_Win win;

static int atomically(MPI_Aint word, int operand, MPI_Op op) {
  int before;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Fetch_and_op(&operand, &before, MPI_INT, 0, word, op, win);
  MPI_Win_unlock(0, win);
  return before;
}

int main(int argc, char** argv) {
  int rank, *words;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &words, &win);
  words[kTicket] = words[kServing] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  const int mine = atomically(kTicket, 1, MPI_SUM);
  while (atomically(kServing, 0, MPI_NO_OP) != mine) {
  }
  atomically(kServing, 1, MPI_SUM);
  if (rank == 0) printf("rank %d has ticket %d\n", rank, mine);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
