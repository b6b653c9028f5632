// Two ranks put to one address thousands of times, between two barriers, and the puts of both
// are concurrent: millions of pairs, which are one finding. The analysis must take about as
// long as the loops. Fixed: they take turns, so that as many pairs are ordered by messages
// alone.
#include "rma.h"
// run: ranks=3
// output: done
// expect race: put @{put} put @{put}
enum { kRounds = 2000 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  const int other = 3 - rank;
  MPI_Win_lock_all(0, win);
  for (int round = 0; rank != 0 && round < kRounds; ++round) {
#ifdef FIXED
    if (rank == 2 || round > 0) hear(other);
#endif
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(0, win);
#ifdef FIXED
    if (rank == 1 || round + 1 < kRounds) tell(other);
#endif
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
