// MC-Checker's `jacobi`: heat in a rod, each rank a piece with a ghost cell at both ends. Neighbors
// put each other's ghost cells in a fence epoch; rank 0, a monitor, gets ghost cells of ranks 2 and
// 3 in the same epoch. Fixed: a fence before these gets.
#include "rma.h"
// run: ranks=4
// output: ends 100.0 0.0
// expect race: put @{to_left} get @{watch}
// expect race: put @{to_right} get @{watch}
enum { kCells = 4, kSteps = 5 };

static double* open_window(MPI_Win* win) {
  double* u;
  MPI_Win_allocate(whole_lines((kCells + 2) * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &u, win);
  for (int i = 0; i < kCells + 2; ++i) STORE(u[i], 0);
  if (rank == 0) STORE(u[0], 100);
  return u;
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  double *u = open_window(&win), ghosts[2 * 4] = {0};
  const int left = rank == 0 ? MPI_PROC_NULL : rank - 1,
            right = rank == size - 1 ? MPI_PROC_NULL : rank + 1;
  for (int step = 0; step < kSteps; ++step) {
    MPI_Win_fence(0, win);
    MPI_Put(&u[1], 1, MPI_DOUBLE, left, kCells + 1, 1, MPI_DOUBLE, win); /*{to_left}*/
    MPI_Put(&u[kCells], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);    /*{to_right}*/
#ifdef FIXED
    MPI_Win_fence(0, win);
#endif
    if (rank == 0)
      for (int i = 2; i < size; ++i)
        for (int end = 0; end < 2; ++end)
          MPI_Get(&ghosts[2 * i + end], 1, MPI_DOUBLE, i, end * (kCells + 1), 1, MPI_DOUBLE,
                  win); /*{watch}*/
    MPI_Win_fence(0, win);
    double next[kCells + 2];
    for (int i = 1; i <= kCells; ++i) next[i] = (LOAD(u[i - 1]) + LOAD(u[i + 1])) / 2;
    for (int i = 1; i <= kCells; ++i) STORE(u[i], next[i]);
  }
  if (rank == 0) printf("ends %.1f %.1f\n", LOAD(u[0]), LOAD(ghosts[7]));
  MPI_Win_free(&win);
  MPI_Finalize();
}
