// A window of a communicator with other ranks than the world: target 0 of one half is world rank 2,
// of the other half world rank 3. Equal target numbers are different targets. The bug: ranks 4 and
// 0 of the same half put to one address of it. Fixed: to different addresses.
#include "rma.h"
// run: ranks=6
// output: rank 2 has 0 4
// output: rank 3 has 1 5
// expect race: put @{put} put @{put}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Comm half;
  const int key[6] = {1, 1, 0, 0, 2, 2};
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, key[rank], &half);  // 2, 0, 4 and 3, 1, 5
  int *memory, mine;
  MPI_Win win;
  MPI_Comm_rank(half, &mine);
  for (int turn = 0; turn < 2;
       ++turn) {  // Open MPI 4.1.4 confuses the files of windows made concurrently
    if (rank % 2 == turn) MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, half, &memory, &win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  memset(memory, 0, 64);
  MPI_Barrier(half);
#ifdef FIXED
  const int place = mine - 1;
#else
  const int place = rank % 2 ? mine - 1 : 0;  // odd ranks are correct
#endif
  MPI_Win_lock_all(0, win);
  if (mine != 0) MPI_Put(&rank, 1, MPI_INT, 0, place, 1, MPI_INT, win); /*{put}*/
  MPI_Win_unlock_all(win);
  MPI_Barrier(half);
  if (mine == 0) printf("rank %d has %d %d\n", rank, LOAD(memory[0]), LOAD(memory[1]));
  MPI_Win_free(&win);
  MPI_Comm_free(&half);
  MPI_Finalize();
}
