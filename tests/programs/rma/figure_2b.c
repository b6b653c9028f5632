// MC-Checker, figure 2b: two origins put to one address in the same exposure epoch of P1. Fixed:
// each has its own address.
#include "rma.h"
// run: ranks=3
// output: X 1 3
// expect race: put @{put} put @{put}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* X = int_window(2, &win);
  MPI_Group world, others, one;
  const int p0_p2[2] = {0, 2}, p1[1] = {1};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, p0_p2, &others);
  MPI_Group_incl(world, 1, p1, &one);
  if (rank == 1) {
    MPI_Win_post(others, 0, win);
    MPI_Win_wait(win);
    printf("X %d %d\n", LOAD(X[0]), LOAD(X[1]));
  } else {
    const int value = rank + 1;
#ifdef FIXED
    const int place = rank / 2;
#else
    const int place = 0;
#endif
    MPI_Win_start(one, 0, win);
    MPI_Put(&value, 1, MPI_INT, 1, place, 1, MPI_INT, win); /*{put}*/
    MPI_Win_complete(win);
  }
  MPI_Group_free(&one);
  MPI_Group_free(&others);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
  MPI_Finalize();
}
