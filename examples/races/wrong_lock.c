// UPC-Thrille, NPB FT 2.3: a lock should protect the accesses to dbg_sum, but each rank has a
// different lock. Here: each rank locks a window with itself as the target, while dbg_sum is in
// another window on rank 0. Fixed: all ranks lock rank 0.
#include "window.h"
// run: ranks=2
// output: dbg_sum 3
// expect confirmed, harmful: get @{get} put @{put}
// expect confirmed, harmful: put @{put} put @{put}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win locks, sums;
  int_window(1, &locks);
  int* dbg_sum = int_window(1, &sums);
#ifdef FIXED
  const int sum_write = 0;
#else
  const int sum_write = rank;
#endif
  int sum = 0;
  MPI_Win_lock_all(0, sums);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, sum_write, 0, locks);
  MPI_Get(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, sums); /*{get}*/
  MPI_Win_flush(0, sums);
  sum = sum + rank + 1;
  MPI_Put(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, sums); /*{put}*/
  MPI_Win_flush(0, sums);
  MPI_Win_unlock(sum_write, locks);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("dbg_sum %d\n", *dbg_sum);
  MPI_Win_unlock_all(sums);
  MPI_Win_free(&sums);
  MPI_Win_free(&locks);
  MPI_Finalize();
}
