// The matched send determines the order, not the number of messages: rank 0 sends (tag 1), puts,
// sends (tag 2); rank 1 receives one of them before it reads. The bug: tag 1, which was sent before
// the put. Fixed: tag 2, which was sent after it.
#include "rma.h"
// run: ranks=2
// output: read 7
// expect race: put @{put} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int seven = 7;
  int data;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Send(&seven, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(1, win);
    MPI_Send(&seven, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  } else {
#ifdef FIXED
    const int first = 2;
#else
    const int first = 1;
#endif
    MPI_Recv(&data, 1, MPI_INT, MPI_ANY_SOURCE, first, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const int read = LOAD(memory[0]); /*{load}*/
    MPI_Recv(&data, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("read %d\n", read);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
