// A pair of lines is one finding, independent of ranks, windows and rounds: each rank's put races
// with its own pending get, and with those of others, in two windows and in several rounds. Fixed:
// flushes between, and separate addresses.
#include "rma.h"
// run: ranks=4
// output: done
// expect race: put @{put} get @{get}
#ifdef FIXED
#define PLACE rank
#else
#define PLACE 0
#endif

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win windows[2];
  int values[4] = {0}, got[4] = {0};
  for (int i = 0; i < 2; ++i) int_window(4, &windows[i]);
  for (int round = 0; round < 4; ++round) {
    const MPI_Win win = windows[round % 2];
    MPI_Win_lock_all(0, win);
    if (rank < 2) MPI_Get(&got[round], 1, MPI_INT, 3, PLACE, 1, MPI_INT, win); /*{get}*/
#ifdef FIXED
    MPI_Win_flush(3, win);
#endif
    if (rank == 1) MPI_Put(&values[round], 1, MPI_INT, 3, PLACE, 1, MPI_INT, win); /*{put}*/
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("done\n");
  for (int i = 0; i < 2; ++i) MPI_Win_free(&windows[i]);
  MPI_Finalize();
}
