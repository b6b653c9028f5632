// A 5-point stencil in shared memory: shared_stencil STEPS ROWS
// A block of rows of a torus of ROWS x kColumns doubles for each rank, with one grid for even and
// one for odd steps. Ranks load the rows of their neighbors where they are.
#include "shared.h"

enum { kColumns = 1024 };

static void sweep_row(double* restrict out, const double* above, const double* row,
                      const double* below) {
  out[0] = 0.25 * (above[0] + below[0] + row[kColumns - 1] + row[1]);
  for (int i = 1; i < kColumns - 1; ++i)
    out[i] = 0.25 * (above[i] + below[i] + row[i - 1] + row[i + 1]);
  out[kColumns - 1] =
      0.25 * (above[kColumns - 1] + below[kColumns - 1] + row[kColumns - 2] + row[0]);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argument(argc, argv, 1, 200), all_rows = argument(argc, argv, 2, 4096);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (all_rows % ranks != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const long rows = all_rows / ranks, grid = rows * kColumns, begin = rank * grid;

  Shared shared = open_shared(2 * grid);
  const double* above = part_of(&shared, (rank + ranks - 1) % ranks);
  const double* below = part_of(&shared, (rank + 1) % ranks);
  for (long i = 0; i < grid; ++i) shared.mine[i] = (double)(mix(begin + i) >> 11);

  shared_barrier(&shared);
  const double started = synchronised_time();
  for (int step = 0; step < steps; ++step) {
    const long from = step % 2 * grid;
    const double* now = shared.mine + from;
    double* next = shared.mine + (grid - from);
    for (long row = 0; row < rows; ++row)
      sweep_row(next + row * kColumns,
                row > 0 ? now + (row - 1) * kColumns : above + from + (rows - 1) * kColumns,
                now + row * kColumns, row < rows - 1 ? now + (row + 1) * kColumns : below + from);
    shared_barrier(&shared);
  }
  const double seconds = synchronised_time() - started;

  const uint64_t checksum = checksum_of(shared.mine + steps % 2 * grid, grid, begin);
  close_shared(&shared);
  return finish(seconds, checksum);
}
