// A stencil with halos exchanged by puts between fences.
// run: ranks=6 groups=0;2;1,4;0-3
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCells = 400, kSteps = 60 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double* cells;
  MPI_Win win;
  MPI_Win_allocate((kCells + 2) * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &cells, &win);
  srand((unsigned)((long)(MPI_Wtime() * 1e6) + rank));
  for (int i = 0; i < kCells + 2; ++i) cells[i] = rand() % 1000;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
            right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  double next[kCells + 2];
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  for (int step = 0; step < kSteps; ++step) {
    MPI_Put(&cells[1], 1, MPI_DOUBLE, left, kCells + 1, 1, MPI_DOUBLE, win);
    MPI_Put(&cells[kCells], 1, MPI_DOUBLE, right, 0, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    for (int i = 1; i <= kCells; ++i)
      next[i] = 0.25 * cells[i - 1] + 0.5 * cells[i] + 0.25 * cells[i + 1];
    for (int i = 1; i <= kCells; ++i) cells[i] = next[i];
    MPI_Win_fence(0, win);
  }
  double sum = 0;
  for (int i = 1; i <= kCells; ++i) sum += cells[i] * (i % 7);
  double edge;
  MPI_Win_lock(MPI_LOCK_SHARED, (rank + 1) % ranks, 0, win);
  MPI_Get(&edge, 1, MPI_DOUBLE, (rank + 1) % ranks, 1, 1, MPI_DOUBLE, win);
  MPI_Win_unlock((rank + 1) % ranks, win);
  printf("rank %d: %.17g, the next one has %.17g\n", rank, sum, edge);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
