// Correct: a broadcast down a binomial tree without a collective. A rank that has the data puts it
// to each child, flushes, and sets the child's flag with an accumulate. The child polls its flag
// with MPI_NO_OP and then serves its own children.
#include "rma.h"
// run: ranks=8
// output: everybody has 3 5 7
// expect no race
enum { kFlag = 0, kData = 1, kCount = 3 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(kData + kCount, &win);
  const int one = 1;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    for (int i = 0; i < kCount; ++i) STORE(memory[kData + i], 3 + 2 * i);
  } else {
    int flag = 0;
    while (!LOAD(flag)) {
      MPI_Fetch_and_op(NULL, &flag, MPI_INT, rank, kFlag, MPI_NO_OP, win);
      MPI_Win_flush(rank, win);
      sched_yield();
    }
  }
  for (int step = 1; step < size; step *= 2) {
    if (rank >= step || rank + step >= size) continue;
    const int child = rank + step;
    MPI_Put(&memory[kData], kCount, MPI_INT, child, kData, kCount, MPI_INT, win);
    MPI_Win_flush(child, win);
    MPI_Accumulate(&one, 1, MPI_INT, child, kFlag, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(child, win);
  }
  int right = 1, all = 0;
  for (int i = 0; i < kCount; ++i) right &= LOAD(memory[kData + i]) == 3 + 2 * i;
  MPI_Win_unlock_all(win);
  MPI_Reduce(&right, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
  if (rank == 0 && all)
    printf("everybody has %d %d %d\n", LOAD(memory[1]), LOAD(memory[2]), LOAD(memory[3]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
