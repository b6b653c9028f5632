// A loop that adds to a window through a row of indices, on far more places than one can tell at
// once, again and again; in one of its rounds a put of another rank comes in between. What such a
// loop touches is seen before it begins, and so it is when the race is made to happen. Fixed: the
// put has a round of its own.
#include "../rma/rma.h"
// run: ranks=2
// output: added
// expect confirmed, harmful: put @{put} store @{add}
enum { kCells = 4096, kRounds = 40 };

__attribute__((noinline)) static void add(double* cells, const int* index, int count) {
  for (int i = 0; i < count; ++i) cells[index[i]] += 1; /*{add}*/
}

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Win win;
  double* cells;
  static int index[kCells];
  MPI_Win_allocate(kCells * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &cells,
                   &win);
  for (int i = 0; i < kCells; ++i) cells[i] = 0, index[i] = i * i % kCells;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  for (int round = 0; round < kRounds; ++round) {
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) add(cells, index, kCells);
#ifdef FIXED
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
#endif
    if (rank == 1 && round == kRounds / 2) {
      const double value = 1000;
      MPI_Put(&value, 1, MPI_DOUBLE, 0, 100, 1, MPI_DOUBLE, win); /*{put}*/
      MPI_Win_flush(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("added\n%g\n", cells[100]);
  MPI_Win_free(&win);
  MPI_Finalize();
}
