// A put, an accumulate and a compare_and_swap read a buffer that a pending get writes. Fixed: a
// flush of the get's target before.
#include "rma.h"
// run: ranks=3
// output: passed on 5 6 7
// expect race: store @{get} load @{put}
// expect race: store @{get} load @{sum}
// expect race: store @{get} load @{swap}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(3, &win);
  if (rank == 1)
    for (int i = 0; i < 3; ++i) STORE(memory[i], 5 + i);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    int buffer[3] = {0}, old = 0;
    const int zero = 0;
    MPI_Get(buffer, 3, MPI_INT, 1, 0, 3, MPI_INT, win); /*{get}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    MPI_Put(&buffer[0], 1, MPI_INT, 2, 0, 1, MPI_INT, win);                 /*{put}*/
    MPI_Accumulate(&buffer[1], 1, MPI_INT, 2, 1, 1, MPI_INT, MPI_SUM, win); /*{sum}*/
    MPI_Compare_and_swap(&buffer[2], &zero, &old, MPI_INT, 2, 2, win);      /*{swap}*/
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) printf("passed on %d %d %d\n", LOAD(memory[0]), LOAD(memory[1]), LOAD(memory[2]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
