// Two branches with the same call: the optimizer must not merge them into one call with one line.
// Fixed: they write to different addresses.
#include "../rma/rma.h"
// run: ranks=3
// build: flags="-O2"
// output: done
// expect race: put @{mine} put @{theirs}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int_window(2, &win);
#ifdef FIXED
  const int other = 1;
#else
  const int other = 0;
#endif
  MPI_Win_fence(0, win);
  if (rank == 0)
    MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, win); /*{mine}*/
  else if (rank == 1)
    MPI_Put(&size, 1, MPI_INT, 2, other, 1, MPI_INT, win); /*{theirs}*/
  MPI_Win_fence(0, win);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
}
