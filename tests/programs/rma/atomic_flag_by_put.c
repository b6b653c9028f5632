// A put sets a flag and a get polls it: neither is atomic, so they race, and the flag creates
// no synchronization edge for the data. Fixed: an accumulate sets it, a fetch_and_op polls
// it.
#include "rma.h"
// run: ranks=3
// output: read 5
// expect race: put @{raise} get @{poll}
// expect race: put @{data} get @{read}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(2, &win);  // on rank 1: flag, data
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    const int five = 5, one = 1;
    MPI_Put(&five, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{data}*/
    MPI_Win_flush(1, win);
#ifdef FIXED
    MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
#else
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{raise}*/
#endif
    MPI_Win_flush(1, win);
  } else if (rank == 2) {
    int flag = 0, read = 0;
    while (!LOAD(flag)) {
#ifdef FIXED
      MPI_Fetch_and_op(NULL, &flag, MPI_INT, 1, 0, MPI_NO_OP, win);
#else
      MPI_Get(&flag, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{poll}*/
#endif
      MPI_Win_flush(1, win);
      sched_yield();
    }
    MPI_Get(&read, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{read}*/
    MPI_Win_flush(1, win);
    printf("read %d\n", LOAD(read));
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
