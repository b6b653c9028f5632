// A neighborhood exchange orders a rank with its neighbors in the ring, and not with other ranks:
// all put, then exchange with the neighbors, then get what a neighbor put. The bug: they get what
// the opposite rank put. Fixed: what the left neighbor put.
#include "rma.h"
// run: ranks=4
// output: sum 6
// expect race: put @{put} get @{get}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  MPI_Comm ring;
  const int dimension[1] = {4}, periodic[1] = {1};
  MPI_Cart_create(MPI_COMM_WORLD, 1, dimension, periodic, 0, &ring);
  int got = -1, around[2], sum = 0;
#ifdef FIXED
  const int whose = (rank + 3) % 4;
#else
  const int whose = (rank + 2) % 4;
#endif
  MPI_Win_lock_all(0, win);
  MPI_Put(&rank, 1, MPI_INT, rank, 0, 1, MPI_INT, win); /*{put}*/
  MPI_Win_flush(rank, win);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, around, 1, MPI_INT, ring);
  MPI_Get(&got, 1, MPI_INT, whose, 0, 1, MPI_INT, win); /*{get}*/
  MPI_Win_unlock_all(win);
  MPI_Reduce(&got, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", LOAD(sum));
  MPI_Comm_free(&ring);
  MPI_Win_free(&win);
  MPI_Finalize();
}
