// The result of MPI_Get is used inside a fence epoch. Advice: MPI_Win_fence before it.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: got 7
// expect race: store @{get} load @{load}
// expect report buggy: Try: MPI_Win_fence before the program uses the result of MPI_Get.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(1, &win), value = 0, copy = 0;
  memory[0] = 7;
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Get(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{get}*/
#ifdef FIXED
  MPI_Win_fence(0, win);
#endif
  if (rank == 0) copy = value; /*{load}*/
  MPI_Win_fence(0, win);
  if (rank == 0) printf("got %d\n", copy);
  MPI_Win_free(&win);
  MPI_Finalize();
}
