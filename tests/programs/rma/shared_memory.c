// Correct: ranks of one node share memory (MPI_Win_allocate_shared): each stores its own cells and
// loads its neighbors' through their pointers, with MPI_Win_sync and a barrier between; then one of
// them puts into another's part, in an epoch of its own.
#include "rma.h"
// run: ranks=4
// output: sums 56, then 63
// expect no race
enum { kCells = 16 };

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int *mine, *parts[4], unit, before = 0, after = 0;
  MPI_Aint bytes;
  MPI_Win win;
  MPI_Win_allocate_shared(kCells * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  for (int i = 0; i < size; ++i) MPI_Win_shared_query(win, i, &bytes, &unit, &parts[i]);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  for (int step = 0; step < 3; ++step) {
    for (int i = 0; i < kCells; ++i) STORE(mine[i], step + rank);
    MPI_Win_sync(win);
    MPI_Barrier(node);
    MPI_Win_sync(win);
    before = 0;
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < 4; ++j) before += LOAD(parts[i][j + step]);
    MPI_Barrier(node);  // all have read before any rank stores again
  }
  CHECK(before == 4 * (2 + 3 + 4 + 5));
  const int seven = 7;
  if (rank == 1) {
    MPI_Put(&seven, 1, MPI_INT, 2, 5, 1, MPI_INT, win);
    MPI_Win_flush(2, win);
  }
  MPI_Win_sync(win);
  MPI_Barrier(node);
  MPI_Win_sync(win);
  after = before + LOAD(parts[2][5]);
  MPI_Win_unlock_all(win);
  if (rank == 3) printf("sums %d, then %d\n", before, after);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
  MPI_Finalize();
}
