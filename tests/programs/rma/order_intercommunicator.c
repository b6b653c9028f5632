// A collective on an intercommunicator sends each rank the data of the other group, and none of its
// own group: rank 0's put is ordered before rank 2's get after an allgather, and races with the get
// of rank 1, in its own group. Fixed: after a barrier of all.
#include "rma.h"
// run: ranks=4
// output: got 7 7
// expect race: put @{put} get @{get1}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(1, &win);
  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &both);
  const int seven = 7;
  int got = 0, theirs[2], all[4];
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&seven, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(3, win);
  }
  MPI_Allgather(&rank, 1, MPI_INT, theirs, 1, MPI_INT, both);
  if (rank == 2) MPI_Get(&got, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{get2}*/
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 1) MPI_Get(&got, 1, MPI_INT, 3, 0, 1, MPI_INT, win); /*{get1}*/
  MPI_Win_unlock_all(win);
  MPI_Gather(&got, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("got %d %d\n", LOAD(all[1]), LOAD(all[2]));
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
  MPI_Win_free(&win);
  MPI_Finalize();
}
