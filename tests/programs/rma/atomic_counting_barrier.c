// A barrier made from a counter: each rank adds one, and waits until all have. Before it each rank
// puts to its neighbor, after it each loads what it received. The bug: no flush of the put before
// the counter is incremented.
#include "rma.h"
// run: ranks=4
// output: rank 3 read 2 12
// expect race: put @{put} load @{load}
enum { kRounds = 2, kFirstCounter = 1 };

static MPI_Win win;

static void count_in(int barrier) {
  const int one = 1;
  int count = 0;
  MPI_Accumulate(&one, 1, MPI_INT, 0, kFirstCounter + barrier, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_flush(0, win);
  while (count != size) {
    MPI_Fetch_and_op(NULL, &count, MPI_INT, 0, kFirstCounter + barrier, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    sched_yield();
  }
}

int main(int argc, char** argv) {
  begin(argc, argv);
  int* memory = int_window(kFirstCounter + 2 * kRounds, &win);
  int values[kRounds], read[kRounds];
  const int right = (rank + 1) % size;
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < kRounds; ++round) {
    values[round] = 10 * round + rank;
    MPI_Put(&values[round], 1, MPI_INT, right, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(right, win);
#endif
    count_in(2 * round);
    read[round] = LOAD(memory[0]); /*{load}*/
    MPI_Win_flush_all(win);  // in both forms: puts of this round are ordered before the next one
    count_in(2 * round + 1);
  }
  printf("rank %d read %d %d\n", rank, read[0], read[1]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
