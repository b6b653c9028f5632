// LU factorization of a dense matrix without pivoting: lu STEPS ORDER
// Panels of kPanel columns are distributed cyclically, and are factored and updated in the windows
// of their ranks. A rank that needs the last finished panel gets it.
#include "app.h"

enum { kPanel = 32 };
typedef double Row[kPanel];

// Factors the rows from `first` on of a panel whose diagonal begins there.
static void factor(Row* panel, long first, long order) {
  for (long k = 0; k < kPanel; ++k)
    for (long row = first + k + 1; row < order; ++row) {
      const double factor = panel[row][k] /= panel[first + k][k];
      for (long column = k + 1; column < kPanel; ++column)
        panel[row][column] -= factor * panel[first + k][column];
    }
}

// `done`: the factored panel whose diagonal begins at `first`; `panel`: one to its right.
static void update(Row* restrict panel, Row* restrict done, long first, long order) {
  for (long k = 0; k < kPanel; ++k)
    for (long row = first + k + 1; row < first + kPanel; ++row)
      for (long column = 0; column < kPanel; ++column)
        panel[row][column] -= done[row][k] * panel[first + k][column];
  for (long row = first + kPanel; row < order; ++row)
    for (long k = 0; k < kPanel; ++k)
      for (long column = 0; column < kPanel; ++column)
        panel[row][column] -= done[row][k] * panel[first + k][column];
}

static void fill(Row* matrix, long panels, long order, int rank, int ranks) {
  for (long local = 0; local * ranks + rank < panels; ++local)
    for (long row = 0; row < order; ++row)
      for (long i = 0; i < kPanel; ++i) {
        const long column = (local * ranks + rank) * kPanel + i;
        matrix[local * order + row][i] =
            (double)(mix(row * order + column) >> 12) / (double)(1L << 52) +
            (row == column ? (double)order : 0);
      }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long steps = argument(argc, argv, 1, 1), order = argument(argc, argv, 2, 1024),
             panels = order / kPanel;
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (order % kPanel != 0) MPI_Abort(MPI_COMM_WORLD, 2);

  Row* matrix;
  MPI_Win win;
  MPI_Win_allocate((panels + ranks - 1) / ranks * order * sizeof(Row), sizeof(Row), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &matrix, &win);
  Row* copy = aligned_alloc(kLine, order * sizeof(Row));

  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
    fill(matrix, panels, order, rank, ranks);
    for (long done = 0; done < panels; ++done) {
      const long first = done * kPanel, there = done / ranks * order + first;
      const int owner = (int)(done % ranks), elements = (int)((order - first) * kPanel);
      if (rank == owner) factor(matrix + done / ranks * order, first, order);
      MPI_Win_fence(0, win);
      if (rank != owner)
        MPI_Get(copy + first, elements, MPI_DOUBLE, owner, there, elements, MPI_DOUBLE, win);
      MPI_Win_fence(0, win);
      Row* panel = rank == owner ? matrix + done / ranks * order : copy;
      for (long local = 0; local * ranks + rank < panels; ++local)
        if (local * ranks + rank > done) update(matrix + local * order, panel, first, order);
    }
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

  uint64_t checksum = 0;
  for (long local = 0; local * ranks + rank < panels; ++local)
    checksum +=
        checksum_of(matrix[local * order], order * kPanel, (local * ranks + rank) * order * kPanel);
  MPI_Win_free(&win);
  free(copy);
  return finish(seconds, checksum);
}
