// A line of cells, split among the ranks. Each step a rank puts its two border cells into its
// neighbors' halo cells, then averages. Fences separate the phases.
#include <mpi.h>
#include <stdio.h>

enum { kCells = 8, kSteps = 3 };

static void exchange(double* cells, int rank, int ranks, MPI_Win win) {
  MPI_Win_fence(0, win);
  if (rank > 0) MPI_Put(&cells[1], 1, MPI_DOUBLE, rank - 1, kCells + 1, 1, MPI_DOUBLE, win);
  if (rank < ranks - 1) MPI_Put(&cells[kCells], 1, MPI_DOUBLE, rank + 1, 0, 1, MPI_DOUBLE, win);
  MPI_Win_fence(0, win);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);

  double* cells;
  MPI_Win win;
  MPI_Win_allocate((kCells + 2) * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &cells, &win);
  MPI_Win_set_name(win, "halo");
  for (int i = 0; i < kCells + 2; ++i) cells[i] = rank;

  for (int step = 0; step < kSteps; ++step) {
    exchange(cells, rank, ranks, win);
    double last = cells[0];
    for (int i = 1; i <= kCells; ++i) {
      const double here = cells[i];
      cells[i] = (last + here + cells[i + 1]) / 3;
      last = here;
    }
  }

  double sum = 0, total = 0;
  for (int i = 1; i <= kCells; ++i) sum += cells[i];
  MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %.3f\n", total);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
