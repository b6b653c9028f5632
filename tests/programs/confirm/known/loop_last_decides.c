// Only the last iteration decides: the races before it have no effect.
#include "../../rma/rma.h"
// variants: 10=-DINSTANCES=10 100=-DINSTANCES=100
// run: ranks=2
// truth: harmful
#ifndef INSTANCES
#define INSTANCES 10
#endif
int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(INSTANCES, &win);
  (void)memory;
  int sum = 0;
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < INSTANCES; ++i) {
    if (rank == 0) {
      const int value = i + 1;
      MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
      MPI_Win_flush(1, win);
    } else {
      sum = LOAD(memory[0]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("last %d\n", sum);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
