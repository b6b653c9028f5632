// UPC-Thrille, NPB MG 2.4: every rank reads two shared variables, and rank 0 resets them without
// waiting for the readers. Only rank 0 uses the values that it has read, so the solution is the
// same. Fixed: a barrier before the reset.
#include "window.h"
// run: ranks=4
// output: norms 3 4
// expect confirmed: get @{read} store @{reset}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  int* shared = int_window(2, &win);
  if (rank == 0) {
    shared[0] = 3;
    shared[1] = 4;
  }
  MPI_Barrier(MPI_COMM_WORLD);
  int mine[2] = {0};
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get(mine, 2, MPI_INT, 0, 0, 2, MPI_INT, win); /*{read}*/
  MPI_Win_unlock(0, win);
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (rank == 0)
    for (int i = 0; i < 2; ++i) shared[i] = 0; /*{reset}*/
  if (rank == 0) printf("norms %d %d\n", mine[0], mine[1]);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&win);
  MPI_Finalize();
}
