// Correct, with everything between parallel regions, critical sections, a master that communicates
// between two barriers, and a reduction: nothing to report.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 47616
// expect no race
enum { kCells = 512, kSteps = 6 };
static double grid[2][kCells + 2];

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  double total = 0, shared = 0;
#pragma omp parallel for num_threads(3)
  for (int i = 1; i <= kCells; ++i) grid[0][i] = i % 32;
#pragma omp parallel num_threads(3)
  for (int step = 0; step < kSteps; ++step) {
    double *now = grid[step % 2], *next = grid[(step + 1) % 2];
#pragma omp master
    {
      MPI_Request requests[4];
      MPI_Irecv(&now[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&now[kCells + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
      MPI_Isend(&now[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
      MPI_Isend(&now[kCells], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]);
      MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
#pragma omp barrier
#pragma omp for
    for (int i = 1; i <= kCells; ++i) next[i] = (now[i - 1] + now[i + 1]) / 2;
#pragma omp critical
    shared += 1;
#pragma omp barrier
  }
#pragma omp parallel for num_threads(3) reduction(+ : total)
  for (int i = 1; i <= kCells; ++i) total += grid[0][i];
  double sum = 0;
  total *= shared / (3 * kSteps);
  MPI_Reduce(&total, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f\n", 3 * sum);
  MPI_Finalize();
  return 0;
}
