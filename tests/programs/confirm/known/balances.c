// Transfers between accounts with get and put, without a lock: the total is wrong. Never "same
// outcome".
#include "../../rma/rma.h"
// variants: 20=-DINSTANCES=20
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
  if (rank == 0)
    for (int i = 0; i < 4; ++i) memory[i] = 100;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < INSTANCES; ++i) {
    const int from = (i + rank) % 4, to = (i * 3 + 1) % 4, amount = 1 + i % 5;
    if (from == to) continue;
    int balance[2] = {0, 0};
    MPI_Get(&balance[0], 1, MPI_INT, 0, from, 1, MPI_INT, win);
    MPI_Get(&balance[1], 1, MPI_INT, 0, to, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
    balance[0] -= amount;
    balance[1] += amount;
    MPI_Put(&balance[0], 1, MPI_INT, 0, from, 1, MPI_INT, win);
    MPI_Put(&balance[1], 1, MPI_INT, 0, to, 1, MPI_INT, win);
    MPI_Win_flush(0, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 4 && rank == 0; ++i) sum += memory[i];
  if (rank == 0) printf("total %d\n", sum);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
