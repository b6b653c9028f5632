// Correct: ghost cells with two buffers and a split-phase barrier. A rank puts and flushes, enters
// the barrier (MPI_Ibarrier), computes its inner cells, waits, and reads the ghosts. The next step
// puts to the other buffer, so it need not wait for the readers.
#include "rma.h"
// run: ranks=4
// output: total heat 400.0
// expect no race
enum { kCells = 8, kSteps = 7 };

static double flow(double left, double middle, double right) {
  return middle + 0.25 * (left - 2 * middle + right);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  double *ghosts, u[kCells], next[kCells];  // ghosts: left and right, two buffers
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &ghosts, &win);
  for (int i = 0; i < 4; ++i) STORE(ghosts[i], 0);
  for (int i = 0; i < kCells; ++i) STORE(u[i], i == 3 ? 100 : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size, last = kCells - 1;
  MPI_Win_lock_all(0, win);
  for (int step = 0; step < kSteps; ++step) {
    const int buffer = step % 2 * 2;
    MPI_Request barrier;
    MPI_Put(&u[0], 1, MPI_DOUBLE, left, buffer + 1, 1, MPI_DOUBLE, win);
    MPI_Put(&u[last], 1, MPI_DOUBLE, right, buffer, 1, MPI_DOUBLE, win);
    MPI_Win_flush_all(win);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int i = 1; i < last; ++i) next[i] = flow(LOAD(u[i - 1]), LOAD(u[i]), LOAD(u[i + 1]));
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    next[0] = flow(LOAD(ghosts[buffer]), LOAD(u[0]), LOAD(u[1]));
    next[last] = flow(LOAD(u[last - 1]), LOAD(u[last]), LOAD(ghosts[buffer + 1]));
    for (int i = 0; i < kCells; ++i) STORE(u[i], next[i]);
  }
  MPI_Win_unlock_all(win);
  double mine = 0, total = 0;
  for (int i = 0; i < kCells; ++i) mine += LOAD(u[i]);
  MPI_Reduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total heat %.1f\n", total);
  MPI_Win_free(&win);
  MPI_Finalize();
}
