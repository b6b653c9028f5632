// Correct: ghost cells with post, start, complete and wait, each rank with its neighbors only; in
// every second step the target polls MPI_Win_test while it computes its inner cells.
#include "rma.h"
// run: ranks=6
// output: total heat 600.0
// expect no race
enum { kCells = 8, kSteps = 6 };

int main(int argc, char** argv) {
  begin(argc, argv);
  double *u, next[kCells + 2];
  MPI_Win win;
  MPI_Win_allocate(whole_lines((kCells + 2) * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &u, &win);
  for (int i = 0; i < kCells + 2; ++i) STORE(u[i], i == 4 ? 100 : 0);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size, both[2] = {left, right};
  MPI_Group world, neighbors;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, both, &neighbors);
  for (int step = 0; step < kSteps; ++step) {
    MPI_Win_post(neighbors, 0, win);
    MPI_Win_start(neighbors, 0, win);
    MPI_Put(&u[1], 1, MPI_DOUBLE, left, kCells + 1, 1, MPI_DOUBLE, win);
    MPI_Put(&u[kCells], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    for (int i = 2; i < kCells; ++i)
      next[i] = LOAD(u[i]) + 0.25 * (LOAD(u[i - 1]) - 2 * LOAD(u[i]) + LOAD(u[i + 1]));
    if (step % 2) {
      for (int over = 0; !over; sched_yield()) MPI_Win_test(win, &over);
    } else {
      MPI_Win_wait(win);
    }
    for (int i = 1; i <= kCells; i += kCells - 1)
      next[i] = LOAD(u[i]) + 0.25 * (LOAD(u[i - 1]) - 2 * LOAD(u[i]) + LOAD(u[i + 1]));
    for (int i = 1; i <= kCells; ++i) STORE(u[i], next[i]);
  }
  double mine = 0, total = 0;
  for (int i = 1; i <= kCells; ++i) mine += LOAD(u[i]);
  MPI_Reduce(&mine, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("total heat %.1f\n", total);
  MPI_Group_free(&neighbors);
  MPI_Group_free(&world);
  MPI_Win_free(&win);
  MPI_Finalize();
}
