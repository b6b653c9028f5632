// Two ranks increment a counter with get and put, without a lock: updates are lost. Never "same
// outcome".
#include "../../rma/rma.h"
// variants: 10=-DINSTANCES=10 100=-DINSTANCES=100
// run: ranks=2
// truth: differs
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
    int value = 0;
    MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    ++value;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("counter %d\n", memory[0]);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
