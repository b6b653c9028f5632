// The program checks its own result, and exits with 3 if the load came first.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful
static int code;

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
    code = got == 7 ? 0 : 3;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
