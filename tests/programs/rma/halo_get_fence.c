// Correct: the same with gets and two copies of the cells. In an epoch a rank gets the old cells of
// its neighbors and writes the inner cells of its own new copy, and the outer ones when it has the
// ghosts. There are no puts, and the last fence opens no epoch.
#include "rma.h"
// run: ranks=5
// output: total heat 500.0
// expect no race
enum { kCells = 8, kSteps = 6, kCopy = kCells };

int main(int argc, char** argv) {
  begin(argc, argv);
  double* u;
  MPI_Win win;
  MPI_Win_allocate(whole_lines(2 * kCells * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &u, &win);
  for (int i = 0; i < kCells; ++i) STORE(u[i], i == 3 ? 100 : 0);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double ghosts[2];
  MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT, win);
  for (int step = 0; step < kSteps; ++step) {
    const int old = step % 2 * kCopy, new = kCopy - old;
    MPI_Get(&ghosts[0], 1, MPI_DOUBLE, left, old + kCells - 1, 1, MPI_DOUBLE, win);
    MPI_Get(&ghosts[1], 1, MPI_DOUBLE, right, old, 1, MPI_DOUBLE, win);
    for (int i = 1; i < kCells - 1; ++i)
      STORE(u[new + i], LOAD(u[old + i]) + 0.25 * (LOAD(u[old + i - 1]) - 2 * LOAD(u[old + i]) +
                                                   LOAD(u[old + i + 1])));
    MPI_Win_fence(MPI_MODE_NOPUT, win);
    STORE(u[new], LOAD(u[old]) + 0.25 * (LOAD(ghosts[0]) - 2 * LOAD(u[old]) + LOAD(u[old + 1])));
    const int last = kCells - 1;
    STORE(u[new + last], LOAD(u[old + last]) + 0.25 * (LOAD(u[old + last - 1]) -
                                                       2 * LOAD(u[old + last]) + LOAD(ghosts[1])));
    MPI_Win_fence(MPI_MODE_NOPUT | (step == kSteps - 1 ? MPI_MODE_NOSUCCEED : 0), win);
  }
  double mine = 0, total = 0;
  for (int i = 0; i < kCells; ++i) mine += LOAD(u[kSteps % 2 * kCopy + i]);
  MPI_Reduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total heat %.1f\n", total);
  MPI_Win_free(&win);
  MPI_Finalize();
}
