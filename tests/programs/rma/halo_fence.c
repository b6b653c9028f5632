// Correct: heat in a rod with ghost cells, put by the neighbors between two fences, with the usual
// assertions: nothing precedes the first fence, nothing succeeds the second, and no rank stored to
// the window in the epoch.
#include "rma.h"
// run: ranks=8
// output: total heat 800.0
// expect no race
enum { kCells = 8, kSteps = 6 };

int main(int argc, char** argv) {
  begin(argc, argv);
  double *u, next[kCells + 2];
  MPI_Win win;
  MPI_Win_allocate(whole_lines((kCells + 2) * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &u, &win);
  for (int i = 0; i < kCells + 2; ++i) STORE(u[i], 0);
  STORE(u[kCells / 2], 100);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  for (int step = 0; step < kSteps; ++step) {
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&u[1], 1, MPI_DOUBLE, left, kCells + 1, 1, MPI_DOUBLE, win);
    MPI_Put(&u[kCells], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    for (int i = 2; i < kCells; ++i)
      next[i] = LOAD(u[i]) + 0.25 * (LOAD(u[i - 1]) - 2 * LOAD(u[i]) + LOAD(u[i + 1]));
    MPI_Win_fence(MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOSUCCEED, win);
    for (int i = 1; i <= kCells; i += kCells - 1)
      next[i] = LOAD(u[i]) + 0.25 * (LOAD(u[i - 1]) - 2 * LOAD(u[i]) + LOAD(u[i + 1]));
    for (int i = 1; i <= kCells; ++i) STORE(u[i], next[i]);
  }
  double mine = 0, total = 0;
  for (int i = 1; i <= kCells; ++i) mine += LOAD(u[i]);
  MPI_Reduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total heat %.1f\n", total);
  MPI_Win_free(&win);
  MPI_Finalize();
}
