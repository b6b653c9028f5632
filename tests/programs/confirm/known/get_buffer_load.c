// The origin buffer of a get is read before the flush.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(16, &win);
  static int buffer[16];
  memory[0] = 5;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Get(buffer, 16, MPI_INT, 1, 0, 16, MPI_INT, win);
    const int got = LOAD(buffer[0]);
    MPI_Win_flush(1, win);
    printf("read %d\n", got);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
