// One rank puts twice to one address in one epoch: puts are unordered. Advice: a flush between
// them.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: read 2
// expect race: put @{first} put @{second}
// expect report buggy: Try: MPI_Win_flush between the two puts.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* memory = int_window(1, &win);
  const int one = 1, two = 2;
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{first}*/
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    MPI_Put(&two, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{second}*/
    MPI_Win_unlock(1, win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) printf("read %d\n", memory[0]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
