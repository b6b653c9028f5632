// Rank 0 puts data and then sets a flag with an accumulate. Rank 1, the owner, and rank 2 poll
// the flag with MPI_NO_OP and then read the data. The bug: no flush of the put before the flag is
// set.
#include "rma.h"
// run: ranks=3
// output: rank 1 read 5 6
// output: rank 2 read 5 6
// expect race: put @{put} load @{load}
// expect race: put @{put} get @{get}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);  // flag, data
  int flag = 0, read[2] = {0};
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    const int values[2] = {5, 6}, one = 1;
    MPI_Put(values, 2, MPI_INT, 1, 1, 2, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(1, win);
  } else {
    while (!flag) {
      MPI_Fetch_and_op(NULL, &flag, MPI_INT, 1, 0, MPI_NO_OP, win);
      MPI_Win_flush(1, win);
      sched_yield();
    }
    if (rank == 1) {
      for (int i = 0; i < 2; ++i) read[i] = LOAD(memory[1 + i]); /*{load}*/
    } else {
      MPI_Get(read, 2, MPI_INT, 1, 1, 2, MPI_INT, win); /*{get}*/
      MPI_Win_flush(1, win);
    }
    printf("rank %d read %d %d\n", rank, read[0], read[1]);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
