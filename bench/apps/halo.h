// A 5-point stencil on a torus of ROWS x kColumns doubles, a block of rows for each rank. The
// window holds only the two rows that the neighbors put, one pair for even and one for odd steps:
// one pair is read while the other may be written. halo_*.c differ in their synchronization. Each
// defines the three functions declared below.
#pragma once
#include "app.h"

enum { kColumns = 1024, kAbove = 0, kBelow = 1 };

typedef struct {
  MPI_Win win;
  double* edges;                  // of this rank
  int rank, ranks, above, below;  // ranks; with one or two ranks, above and below are the same
} Halo;

static void open_halo(Halo* halo);
static void exchange(Halo* halo, const double* first, const double* last, int parity);
static void close_halo(Halo* halo);

// My first row goes to the lower edge of the rank above, my last row to the upper edge of the rank
// below.
__attribute__((unused)) static void put_rows(Halo* halo, const double* first, const double* last,
                                             int parity) {
  const MPI_Aint pair = 2 * (MPI_Aint)parity;
  MPI_Put(first, kColumns, MPI_DOUBLE, halo->above, (pair + kBelow) * kColumns, kColumns,
          MPI_DOUBLE, halo->win);
  MPI_Put(last, kColumns, MPI_DOUBLE, halo->below, (pair + kAbove) * kColumns, kColumns, MPI_DOUBLE,
          halo->win);
}

static void sweep_row(double* restrict out, const double* above, const double* row,
                      const double* below) {
  out[0] = 0.25 * (above[0] + below[0] + row[kColumns - 1] + row[1]);
  for (int i = 1; i < kColumns - 1; ++i)
    out[i] = 0.25 * (above[i] + below[i] + row[i - 1] + row[i + 1]);
  out[kColumns - 1] =
      0.25 * (above[kColumns - 1] + below[kColumns - 1] + row[kColumns - 2] + row[0]);
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const int steps = argument(argc, argv, 1, 1000), all_rows = argument(argc, argv, 2, 1024);
  Halo halo;
  MPI_Comm_rank(MPI_COMM_WORLD, &halo.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &halo.ranks);
  halo.above = (halo.rank + halo.ranks - 1) % halo.ranks;
  halo.below = (halo.rank + 1) % halo.ranks;
  const long begin = share_begin(all_rows, halo.rank, halo.ranks);
  const long rows = share_begin(all_rows, halo.rank + 1, halo.ranks) - begin;
  if (all_rows < halo.ranks) MPI_Abort(MPI_COMM_WORLD, 2);  // every rank needs a row

  MPI_Win_allocate(4 * kColumns * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &halo.edges, &halo.win);
  double* now = aligned_alloc(kLine, rows * kColumns * sizeof(double));
  double* next = aligned_alloc(kLine, rows * kColumns * sizeof(double));
  for (long i = 0; i < rows * kColumns; ++i) now[i] = (double)(mix(begin * kColumns + i) >> 11);

  open_halo(&halo);
  const double started = synchronised_time();
  for (int step = 0; step < steps; ++step) {
    exchange(&halo, now, now + (rows - 1) * kColumns, step % 2);
    const double* pair = halo.edges + 2 * (step % 2) * kColumns;
#pragma omp parallel for
    for (long row = 0; row < rows; ++row) {
      const double* above = row > 0 ? now + (row - 1) * kColumns : pair + kAbove * kColumns;
      const double* below = row < rows - 1 ? now + (row + 1) * kColumns : pair + kBelow * kColumns;
      sweep_row(next + row * kColumns, above, now + row * kColumns, below);
    }
    double* swapped = now;
    now = next;
    next = swapped;
  }
  const double seconds = synchronised_time() - started;
  close_halo(&halo);

  const uint64_t checksum = checksum_of(now, rows * kColumns, begin * kColumns);
  MPI_Win_free(&halo.win);
  free(now);
  free(next);
  return finish(seconds, checksum);
}
