// ghost_ibarrier.c with a single ghost buffer: a rank that has left the split-phase barrier puts
// the next step's ghosts while its neighbor still reads those of this step. Fixed: a second
// barrier.
#include "rma.h"
// run: ranks=4
// output: total heat 400.0
// expect race: put @{to_left} load @{right_ghost}
// expect race: put @{to_right} load @{left_ghost}
enum { kCells = 8, kSteps = 7 };

static double flow(double left, double middle, double right) {
  return middle + 0.25 * (left - 2 * middle + right);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  double *ghosts, u[kCells], next[kCells];
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &ghosts, &win);
  for (int i = 0; i < 2; ++i) STORE(ghosts[i], 0);
  for (int i = 0; i < kCells; ++i) STORE(u[i], i == 3 ? 100 : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size, last = kCells - 1;
  MPI_Win_lock_all(0, win);
  for (int step = 0; step < kSteps; ++step) {
    MPI_Request barrier;
    MPI_Put(&u[0], 1, MPI_DOUBLE, left, 1, 1, MPI_DOUBLE, win);     /*{to_left}*/
    MPI_Put(&u[last], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win); /*{to_right}*/
    MPI_Win_flush_all(win);
    MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
    for (int i = 1; i < last; ++i) next[i] = flow(LOAD(u[i - 1]), LOAD(u[i]), LOAD(u[i + 1]));
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    next[0] = flow(LOAD(ghosts[0]), LOAD(u[0]), LOAD(u[1]));              /*{left_ghost}*/
    next[last] = flow(LOAD(u[last - 1]), LOAD(u[last]), LOAD(ghosts[1])); /*{right_ghost}*/
#ifdef FIXED
    MPI_Barrier(MPI_COMM_WORLD);
#endif
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
