// A message is received into a buffer that a pending put reads. Fixed: a local flush before the
// receive.
#include "rma.h"
// run: ranks=2
// output: put 7
// expect race: load @{put} store @{receive}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int eight = 8;
  int value = 7;
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
    CHECK(LOAD(value) == 8);
  } else {
    MPI_Send(&eight, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("put %d\n", LOAD(memory[0]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
