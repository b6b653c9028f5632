// MC-Checker, figure 1: the result of a get is used inside the lock epoch, before the get is
// complete. An exclusive lock excludes other ranks, not the rank's own operation. Fixed: used after
// the unlock.
#include "rma.h"
// run: ranks=2
// output: out 5
// expect race: store @{get} load @{test}
// expect race by hand: store @{get} load @{increment}
// expect race: store @{get} store @{increment}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  STORE(memory[0], 4);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    int out = 2;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get(&out, 1, MPI_INT, 0, 0, 1, MPI_INT, win); /*{get}*/
#ifdef FIXED
    MPI_Win_unlock(0, win);
#endif
    if (LOAD(out) % 2 == 0)      /*{test}*/
      STORE(out, LOAD(out) + 1); /*{increment}*/
#ifndef FIXED
    MPI_Win_unlock(0, win);
#endif
    printf("out %d\n", LOAD(out));
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
