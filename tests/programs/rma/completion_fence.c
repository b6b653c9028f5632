// Inside a fence epoch the owner may not load what others put, nor store what others get; after the
// next fence it may. Fixed: after the next fence.
#include "rma.h"
// run: ranks=2
// output: read 7, got 1
// expect race: put @{put} load @{load}
// expect race: get @{get} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(2, &win);
  const int seven = 7;
  int got = 0, read = 0;
  STORE(memory[1], 1);
  MPI_Win_fence(0, win);
  if (rank == 0) {
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Get(&got, 1, MPI_INT, 1, 1, 1, MPI_INT, win);   /*{get}*/
  }
#ifdef FIXED
  MPI_Win_fence(0, win);
#endif
  if (rank == 1) {
    read = LOAD(memory[0]); /*{load}*/
    STORE(memory[1], 2);    /*{store}*/
  }
#ifndef FIXED
  MPI_Win_fence(0, win);
#endif
  if (rank == 0) {
    MPI_Recv(&read, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("read %d, got %d\n", read, LOAD(got));
  } else {
    MPI_Send(&read, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
