// A prefix sum orders lower ranks before higher ones. Ranks 0 and 2 put before it, rank 1 gets
// after it. The bug: it gets the data of both. Fixed: only that of rank 0.
#include "rma.h"
// run: ranks=4
// output: got 1
// expect race: put @{put2} get @{get}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(2, &win);
  const int one = 1, two = 2;
  int got[2] = {0}, sum = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{put0}*/
  if (rank == 2) MPI_Put(&two, 1, MPI_INT, 3, 1, 1, MPI_INT, win); /*{put2}*/
  MPI_Win_flush(3, win);
  MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 1) {
#ifdef FIXED
    const int count = 1;
#else
    const int count = 2;
#endif
    MPI_Get(got, count, MPI_INT, 3, 0, count, MPI_INT, win); /*{get}*/
    MPI_Win_flush(3, win);
    printf("got %d\n", LOAD(got[0]));
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
