// Thousands of gets into one buffer, all pending until the end of the loop: hundreds of millions of
// pairs, which are one finding. The analysis must take about as long as the loop. Fixed: each get
// completes before the next one.
#include "rma.h"
// run: ranks=2
// output: done
// expect race: store @{get} store @{get}
#ifdef FIXED
enum { kRounds = 2000 };  // each waits for the other rank
#else
enum { kRounds = 20000 };
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  int got = 0;
  MPI_Win_lock_all(0, win);
  for (int round = 0; rank == 1 && round < kRounds; ++round) {
    MPI_Get(&got, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{get}*/
#ifdef FIXED
    MPI_Win_flush_local(0, win);
#endif
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
