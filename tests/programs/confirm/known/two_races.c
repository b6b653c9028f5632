// Two races: the value of the first is printed, that of the second does not matter. The second
// makes no difference, but without steering the output varies, because of the first.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful: put @{value} load @{print}
// truth: unstable: put @{unused} load @{ignore}
int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(64, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    const int value = 7;
    MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{value}*/
    MPI_Win_flush(1, win);
    MPI_Put(&value, 1, MPI_INT, 1, 32, 1, MPI_INT, win); /*{unused}*/
    MPI_Win_flush(1, win);
  } else {
    const int got = LOAD(memory[0]);    /*{print}*/
    const int other = LOAD(memory[32]); /*{ignore}*/
    printf("got %d, %s\n", got, other == 0 || other == 7 ? "accepted" : "wrong");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
