// A put in a fence epoch, and a load of the target in the same epoch.
#include "../../rma/rma.h"
// run: ranks=2
// truth: same outcome
int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(16, &win);
  int got = 0;
  const int value = 7;
  MPI_Win_fence(0, win);
  if (rank == 0)
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  else
    got = LOAD(memory[0]);
  MPI_Win_fence(0, win);
  if (rank == 1) printf("%s\n", got == 0 || got == 7 ? "accepted" : "wrong");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
