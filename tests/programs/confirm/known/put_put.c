// Two ranks put different values to one location.
#include "../../rma/rma.h"
// run: ranks=3
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(16, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank > 0) {
    const int value = 10 + rank;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("value %d\n", memory[0]);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
