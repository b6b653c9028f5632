// A message orders its sender before the completion of the receive, not before its post: rank 1
// posts a receive, and may read what rank 0 put after the wait, not before. Fixed: after the
// wait.
#include "rma.h"
// run: ranks=2
// output: read 7
// expect race: put @{put} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int seven = 7;
  int told = 0;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Request request;
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(1, win);
    MPI_Isend(&seven, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Request request;
    MPI_Irecv(&told, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    const int read = LOAD(memory[0]); /*{load}*/
#ifndef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    printf("read %d\n", read);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
