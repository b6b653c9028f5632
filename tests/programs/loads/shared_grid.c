// A grid in shared memory, a block of rows for each rank. A loop over all rows loads a column of
// each, so that one range of loads has rows in the parts of all ranks, and gaps. Then each rank
// stores that column of its own rows. Fixed: a barrier in between, with MPI_Win_sync.
#include "../rma/rma.h"
// run: ranks=4
// output: sum 1920
// expect race: load @{column} store @{own}
enum { kRows = 16, kColumns = 40, kColumn = 7 };

int main(int argc, char** argv) {
  begin(argc, argv);
  int *mine, *grid, unit;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Win_allocate_shared(kRows * kColumns * sizeof(int), sizeof(int), MPI_INFO_NULL,
                          MPI_COMM_WORLD, &mine, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &grid);  // the parts are adjacent
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (int i = 0; i < kRows * kColumns; ++i) mine[i] = i / kColumns;
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  int sum = 0, beside = 0;
  for (int row = 0; row < size * kRows; ++row) sum += grid[row * kColumns + kColumn]; /*{column}*/
  // Nobody stores the next column.
  for (int row = 0; row < size * kRows; ++row) beside += grid[row * kColumns + kColumn + 1];
  CHECK(beside == size * kRows * (kRows - 1) / 2);
#ifdef FIXED
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
#endif
  for (int row = 0; row < kRows; ++row) mine[row * kColumns + kColumn] = row; /*{own}*/
  MPI_Win_sync(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(win);
  int all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", all);
  MPI_Win_free(&win);
  MPI_Finalize();
}
