// A window over existing memory (MPI_Win_create): the owner loads what another rank puts. Fixed: it
// waits for a message that says that the put is complete.
#include "rma.h"
// run: ranks=2
// output: read 7
// expect race: put @{put} load @{load}
static _Alignas(64) int memory[16];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  const int seven = 7;
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&seven, 1, MPI_INT, 1, 5, 1, MPI_INT, win); /*{put}*/
    MPI_Win_unlock(1, win);
    tell(1);
  } else {
#ifdef FIXED
    hear(0);
#endif
    printf("read %d\n", LOAD(memory[5])); /*{load}*/
#ifndef FIXED
    hear(0);
#endif
  }
  MPI_Win_free(&win);
  MPI_Finalize();
}
