// A hundred thousand accumulates from one buffer, which is stored before each of them. It is
// free again after a local flush; the operations stay pending at the target until the end. The
// analysis must take about as long as the loop. (The target is the rank itself, so that no flush
// waits for another rank.) Buggy: one store comes before the flush.
#include "rma.h"
// run: ranks=2
// output: sum 100000
// expect race: load @{accumulate} store @{store}
enum { kRounds = 100000, kEarly = 3 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int value = 0, *counter = int_window(1, &win);
  MPI_Win_lock_all(0, win);
  for (int round = 0; rank == 1 && round < kRounds; ++round) {
    STORE(value, 1);
    MPI_Accumulate(&value, 1, MPI_INT, rank, 0, 1, MPI_INT, MPI_SUM, win); /*{accumulate}*/
#ifndef FIXED
    if (round == kEarly) STORE(value, 1); /*{store}*/
#endif
    MPI_Win_flush_local(rank, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("sum %d\n", LOAD(counter[0]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
