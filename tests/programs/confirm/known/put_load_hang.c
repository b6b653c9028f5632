// If the load comes first, rank 1 waits for a message that is never sent.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(16, &win);
  (void)memory;
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const int value = 7;
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_flush(1, win);
  } else if (rank == 1) {
    const int got = LOAD(memory[0]);
    int never = 0;
    if (got != 7) MPI_Recv(&never, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("got %d\n", got);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
