// Ranks 0 and 1 put and send; rank 2 receives from any source. The bug: it receives only one
// message. Whichever it is, the other rank's put need not be complete. Fixed: it receives both
// first.
#include "rma.h"
// run: ranks=4
// output: got 1 2
// expect race: put @{put} get @{get}
// expect message race always: receive @{hear-takes} send @{tell-sends}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(2, &win);
  MPI_Win_lock_all(0, win);
  if (rank < 2) {
    const int value = rank + 1;
    MPI_Put(&value, 1, MPI_INT, 3, rank, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(3, win);
    tell(2);
  } else if (rank == 2) {
    int got[2] = {0};
    hear(MPI_ANY_SOURCE);
#ifdef FIXED
    hear(MPI_ANY_SOURCE);
#endif
    MPI_Get(got, 2, MPI_INT, 3, 0, 2, MPI_INT, win); /*{get}*/
    MPI_Win_flush(3, win);
#ifndef FIXED
    hear(MPI_ANY_SOURCE);
#endif
    printf("got %d %d\n", LOAD(got[0]), LOAD(got[1]));
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
