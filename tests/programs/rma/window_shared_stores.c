// Shared memory (MPI_Win_allocate_shared): one rank stores what another one loads, without
// synchronization. Fixed: a barrier, with MPI_Win_sync on both sides of it.
#include "rma.h"
// run: ranks=3
// output: read 7
// expect race: store @{store} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  int *mine, *first, unit;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Win_allocate_shared(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  memset(mine, 0, 64);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) STORE(mine[1], 7); /*{store}*/
#ifdef FIXED
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
#endif
  if (rank == 2) printf("read %d\n", LOAD(first[1])); /*{load}*/
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
