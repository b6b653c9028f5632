// The origin buffer of a put is overwritten before the flush: 1 or 2 arrives.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(16, &win);
  static int buffer[16];
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    buffer[0] = 1;
    MPI_Put(buffer, 16, MPI_INT, 1, 0, 16, MPI_INT, win);
    STORE(buffer[0], 2);
    MPI_Win_flush(1, win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("received %d\n", memory[0]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
