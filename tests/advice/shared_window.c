// Ranks store and load in a shared window. Advice: a barrier, with MPI_Win_sync on each side of it.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: read 7
// expect race: store @{store} load @{load}
// expect report buggy: Try: a barrier or a message between the load and the store, with MPI_Win_sync on each side of it.

int main(int argc, char** argv) {
  begin(argc, argv);
  int *mine, *first, unit;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Win_allocate_shared(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  MPI_Win_lock_all(0, win);
  if (rank == 1) first[1] = 7; /*{store}*/
#ifdef FIXED
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
#endif
  if (rank == 0) printf("read %d\n", first[1]); /*{load}*/
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
