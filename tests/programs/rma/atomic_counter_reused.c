// The same counting barrier with a counter that is never reset: the n-th barrier completes when it
// has reached n times the number of ranks, or more, because others may be in the next one.
// Everything is flushed, and there is no race.
#include "rma.h"
// run: ranks=4
// output: rank 0 read 3 13 23
// expect no race
enum { kRounds = 3, kData = 0, kCounter = 1 };

static MPI_Win win;

static void count_in(void) {
  static int barriers = 0;
  const int one = 1;
  int count = 0;
  ++barriers;
  MPI_Accumulate(&one, 1, MPI_INT, 0, kCounter, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(0, win);
  while (count < barriers * size) {
    MPI_Fetch_and_op(NULL, &count, MPI_INT, 0, kCounter, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    sched_yield();
  }
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* memory = int_window(2, &win);
  int values[kRounds], read[kRounds];
  const int right = (rank + 1) % size;
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < kRounds; ++round) {
    values[round] = 10 * round + rank;
    MPI_Put(&values[round], 1, MPI_INT, right, kData, 1, MPI_INT, win);
    MPI_Win_flush(right, win);
    count_in();
    read[round] = LOAD(memory[kData]);
    count_in();
  }
  printf("rank %d read %d %d %d\n", rank, read[0], read[1], read[2]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
