// A wavefront in shared memory: shared_wavefront STEPS ROWS COLUMNS
// A block of columns of the grid for each rank. An element depends on those to the left of it and
// above it. So a rank computes its part of a row when the rank to the left has done its own, and
// loads the last element from there. A message without data says that the part is done.
#include "shared.h"

// Row i of `left` is to the left of that of `grid`.
static void sweep_row(double* grid, const double* left, long columns, long row) {
  double* now = grid + row * columns;
  const double* above = now - columns;
  if (left != NULL)
    now[0] = 0.5 * (above[0] + left[row * columns + columns - 1] -
                    left[(row - 1) * columns + columns - 1]);
  for (long i = 1; i < columns; ++i) now[i] = 0.5 * (above[i] + now[i - 1] - above[i - 1]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long steps = argument(argc, argv, 1, 20), rows = argument(argc, argv, 2, 2000);
  const long all_columns = argument(argc, argv, 3, 8192);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (all_columns % ranks != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const long columns = all_columns / ranks;

  Shared shared = open_shared(rows * columns);
  double* grid = shared.mine;
  const double* left = rank > 0 ? part_of(&shared, rank - 1) : NULL;
  for (long row = 0; row < rows; ++row)
    for (long i = 0; i < columns; ++i)
      grid[row * columns + i] = (double)(mix(row * all_columns + rank * columns + i) >> 40);

  shared_barrier(&shared);
  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
    for (long row = 1; row < rows; ++row) {
      if (rank > 0) MPI_Recv(NULL, 0, MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Win_sync(shared.win);
      sweep_row(grid, left, columns, row);
      MPI_Win_sync(shared.win);
      if (rank < ranks - 1) MPI_Send(NULL, 0, MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD);
    }
    shared_barrier(&shared);
  }
  const double seconds = synchronised_time() - started;

  uint64_t checksum = 0;
  for (long row = 0; row < rows; ++row)
    checksum += checksum_of(grid + row * columns, columns, row * all_columns + rank * columns);
  close_shared(&shared);
  return finish(seconds, checksum);
}
