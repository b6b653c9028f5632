// Correct: ghost cells in one long lock_all epoch, with a flush and a barrier before they are read
// and another barrier before they are written again. MPI_Win_sync around each barrier, as the
// standard requires.
#include "rma.h"
// run: ranks=4
// output: total heat 400.0
// expect no race
enum { kCells = 8, kSteps = 6 };

int main(int argc, char** argv) {
  begin(argc, argv);
  double *u, next[kCells + 2];
  MPI_Win win;
  MPI_Win_allocate(whole_lines((kCells + 2) * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &u, &win);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (int i = 0; i < kCells + 2; ++i) STORE(u[i], i == 4 ? 100 : 0);
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int step = 0; step < kSteps; ++step) {
    MPI_Put(&u[1], 1, MPI_DOUBLE, left, kCells + 1, 1, MPI_DOUBLE, win);
    MPI_Put(&u[kCells], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    if (step % 2) {
      MPI_Win_flush(left, win);
      MPI_Win_flush(right, win);
    } else {
      MPI_Win_flush_all(win);
    }
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(win);
    for (int i = 1; i <= kCells; ++i)
      next[i] = LOAD(u[i]) + 0.25 * (LOAD(u[i - 1]) - 2 * LOAD(u[i]) + LOAD(u[i + 1]));
    for (int i = 1; i <= kCells; ++i) STORE(u[i], next[i]);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  double mine = 0, total = 0;
  for (int i = 1; i <= kCells; ++i) mine += LOAD(u[i]);
  MPI_Win_unlock_all(win);
  MPI_Reduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total heat %.1f\n", total);
  MPI_Win_free(&win);
  MPI_Finalize();
}
