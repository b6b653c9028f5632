// Windows of a few bytes, and of unusual sizes: the owner loads what others put there. (Not
// with MPICH 4.0.2: it puts to another address than the one that it returned to the
// program.)
#include "rma.h"
// run: ranks=2
// output: * * 7
// expect race: put @{put} load @{load}
// expect race: put @{put} load @{load}
// expect race: put @{put} load @{load}

static int meet(MPI_Win win, int* base) {
  const int value = 7;
  if (rank == 1) base[1] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 1, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#else
    MPI_Win_flush_local(1, win);
#endif
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int got = 0;
  if (rank == 1) {
    MPI_Win_sync(win);
    got = LOAD(base[1]); /*{load}*/
  }
  MPI_Win_unlock_all(win);
  return got;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *base, got[3];
  MPI_Win_allocate(8, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  got[0] = meet(win, base);
  MPI_Win_free(&win);
  MPI_Win_allocate(40, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  got[1] = meet(win, base);
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(12, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  got[2] = meet(win, base);
  MPI_Win_free(&win);
  if (rank == 1) printf("%d %d %d\n", got[0], got[1], got[2]);
  MPI_Finalize();
  return 0;
}
