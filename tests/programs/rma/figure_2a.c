// MC-Checker, figure 2a: the buffer of a put is overwritten before the fence that completes the
// put. Fixed: overwritten after the fence.
#include "rma.h"
// run: ranks=2
// output: X 7 7
// expect race: load @{put} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* X = int_window(2, &win);
  int buf[2] = {7, 7};
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(buf, 2, MPI_INT, 1, 0, 2, MPI_INT, win); /*{put}*/
#ifdef FIXED
  MPI_Win_fence(0, win);
  STORE(buf[0], 8);
#else
  STORE(buf[0], 8); /*{store}*/
  MPI_Win_fence(0, win);
#endif
  if (rank == 1) printf("X %d %d\n", LOAD(X[0]), LOAD(X[1]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
