// Shared memory (MPI_Win_allocate_shared): rank 1 loads rank 0's part through its own pointer while
// rank 2 puts there. The memory counts, not the address at which a rank sees it. Fixed: a barrier
// between them.
#include "rma.h"
// run: ranks=3
// output: rank 1 read 7
// expect race: put @{put} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  int *mine, *first, unit;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Win_allocate_shared(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
  memset(mine, 0, 64);
  MPI_Barrier(MPI_COMM_WORLD);
  const int seven = 7;
  MPI_Win_lock_all(0, win);
  if (rank == 2) {
    MPI_Put(&seven, 1, MPI_INT, 0, 2, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(0, win);
  }
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  MPI_Win_sync(win);
  if (rank == 1) printf("rank 1 read %d\n", LOAD(first[2])); /*{load}*/
  if (rank == 1) CHECK(LOAD(mine[2]) == 0);                  // its own part: another address
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
