// The result of MPI_Get is used inside the epoch. Advice: MPI_Win_flush_local before it.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: got 7
// expect race: store @{get} load @{load}
// expect report buggy: Try: MPI_Win_flush_local before the program uses the result of MPI_Get.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(1, &win), value = 0;
  memory[0] = 7;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get}*/
#ifdef FIXED
    MPI_Win_flush_local(1, win);
#endif
    printf("got %d\n", value); /*{load}*/
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
