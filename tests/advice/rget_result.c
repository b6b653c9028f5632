// The result of MPI_Rget is used before its request is complete. Advice: MPI_Wait for it.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: got 7
// expect race: store @{rget} load @{load}
// expect report buggy: Try: MPI_Wait for its request before the program uses the result of MPI_Rget.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(1, &win), value = 0, copy = 0;
  memory[0] = 7;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPI_Request request;
    MPI_Rget(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request); /*{rget}*/
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    copy = value; /*{load}*/
#ifndef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    printf("got %d\n", copy);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
