// A put and a load of the target in one fence epoch. Advice: a fence between them.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: read 7
// expect race: put @{put} load @{load}
// expect report buggy: Try: MPI_Win_fence between the put and the load.

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int *memory = int_window(1, &win), value = 7, read = 0;
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
#ifdef FIXED
  MPI_Win_fence(0, win);
#endif
  if (rank == 1) read = memory[0]; /*{load}*/
  MPI_Win_fence(0, win);
  if (rank == 1) printf("read %d\n", read);
  MPI_Win_free(&win);
  MPI_Finalize();
}
