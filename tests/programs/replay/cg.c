// Conjugate gradients on a ring: dot products by Allreduce, neighbor values by messages, until the
// residual is small enough.
// run: ranks=5 groups=0;4;1,3;0-3
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kRows = 64 };

static int g_rank, g_ranks;

static double dot(const double* a, const double* b) {
  double here = 0, all = 0;
  for (int i = 0; i < kRows; ++i) here += a[i] * b[i];
  MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void multiply(const double* x, double* y) {
  double low = 0, high = 0;
  MPI_Request requests[4];
  const int before = (g_rank + g_ranks - 1) % g_ranks, behind = (g_rank + 1) % g_ranks;
  MPI_Irecv(&low, 1, MPI_DOUBLE, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&high, 1, MPI_DOUBLE, behind, 2, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&x[kRows - 1], 1, MPI_DOUBLE, behind, 1, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&x[0], 1, MPI_DOUBLE, before, 2, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kRows; ++i)
    y[i] = 4 * x[i] - (i > 0 ? x[i - 1] : low) - (i + 1 < kRows ? x[i + 1] : high);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  double x[kRows] = {0}, r[kRows], p[kRows], q[kRows];
  srand((unsigned)((long)(MPI_Wtime() * 1e6) + g_rank));
  for (int i = 0; i < kRows; ++i) p[i] = r[i] = rand() % 100;
  double rho = dot(r, r);
  int steps = 0;
  for (; steps < 200 && sqrt(rho) > 1e-9; ++steps) {
    multiply(p, q);
    const double alpha = rho / dot(p, q);
    for (int i = 0; i < kRows; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    const double next = dot(r, r);
    for (int i = 0; i < kRows; ++i) p[i] = r[i] + next / rho * p[i];
    rho = next;
  }
  printf("rank %d: %d steps, residual %.17g, x %.17g %.17g\n", g_rank, steps, sqrt(rho), x[0],
         x[kRows - 1]);
  MPI_Finalize();
  return 0;
}
