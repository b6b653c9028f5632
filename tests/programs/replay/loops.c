// Loops over window memory, of all kinds that are checked as a whole: each must load what other
// ranks put there, and no stale values.
// run: ranks=4 groups=1;0,2;0-3
// build: flags="-O2" pass=only
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kCount = 3000, kBefore = 700, kSteps = 12, kColumns = 50 };

static double value(int from, int step, int i) {
  return from * 1e6 + step * 1e3 + i * 0.25 + 1.0 / (i + 1);
}

// Evenly spaced, forward and backward.
static double sum(const double* a, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) all += a[i];
  for (int i = n - 1; i >= 0; i -= 2) all -= a[i] / 2;
  return all;
}

// A column: a large stride.
static double column(const double* a, int columns, int rows) {
  double all = 0;
  for (int row = 0; row < rows; ++row) all += a[row * columns];
  return all;
}

// Loads and stores through indices.
static double gather(double* a, const int* index, int n) {
  double all = 0;
  for (int i = 0; i < n; ++i) {
    all += a[index[i]];
    a[index[i]] += 1;
  }
  return all;
}

// Until a value is found.
static int find(const double* a, double wanted) {
  int i = 0;
  while (a[i] != wanted) ++i;
  return i;
}

// Each iteration loads what the preceding one stored.
static void accumulate(double* a, int n) {
  for (int i = 1; i < n; ++i) a[i] += a[i - 1];
}

// Rows of different lengths.
static double triangle(const double* a, int n) {
  double all = 0;
  for (int row = 0; row < n; ++row)
    for (int i = 0; i <= row; ++i)
      if (a[row * n + i] > 0) all += a[row * n + i];
  return all;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int from = (rank + ranks - 1) % ranks, to = (rank + 1) % ranks;
  // The window begins in the middle of the array that the loops use.
  double* all = malloc((kBefore + kCount) * sizeof(double));
  double* expected = malloc((kBefore + kCount) * sizeof(double));
  double* mine = malloc(kCount * sizeof(double));
  int* index = malloc(kCount * sizeof(int));
  double *whole, results = 0;
  MPI_Win created, allocated;
  MPI_Win_create(all + kBefore, kCount * sizeof(double), sizeof(double), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &created);
  MPI_Win_allocate(kCount * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &whole,
                   &allocated);
  for (int i = 0; i < kBefore; ++i) all[i] = expected[i] = i;
  for (int i = 0; i < kCount; ++i) index[i] = i * 37 % kCount, whole[i] = 0;
  MPI_Win_fence(0, created);
  MPI_Win_fence(0, allocated);
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < kCount; ++i) {
      mine[i] = value(rank, step, i);
      expected[kBefore + i] = value(from, step, i);
    }
    MPI_Put(mine, kCount, MPI_DOUBLE, to, 0, kCount, MPI_DOUBLE, created);
    MPI_Put(mine, kCount, MPI_DOUBLE, to, 0, kCount, MPI_DOUBLE, allocated);
    MPI_Win_fence(0, created);
    MPI_Win_fence(0, allocated);
    const double* const plain = expected + kBefore;
    const double sums[] = {sum(whole, kCount) - sum(plain, kCount),
                           sum(all, kBefore + kCount) - sum(expected, kBefore + kCount),
                           column(whole + step, kColumns, kCount / kColumns) -
                               column(plain + step, kColumns, kCount / kColumns),
                           triangle(whole, kColumns) - triangle(plain, kColumns)};
    for (int i = 0; i < 4; ++i) wrong += sums[i] != 0;
    wrong += find(whole, value(from, step, kCount - 1 - step)) != kCount - 1 - step;
    // Stored by a function without hooks, and loaded again by a later loop.
    modf(step + 0.5, &whole[17]);
    modf(step + 0.5, &expected[kBefore + 17]);
    wrong += sum(whole, kCount) != sum(plain, kCount);
    wrong += gather(whole, index, kCount) != gather(expected + kBefore, index, kCount);
    accumulate(whole, kCount);
    accumulate(expected + kBefore, kCount);
    for (int i = 0; i < kCount; ++i) wrong += whole[i] != plain[i];
    results += gather(all + kBefore, index, kCount / 2) + sum(whole, kCount);
    MPI_Win_fence(0, created);
    MPI_Win_fence(0, allocated);
  }
  printf("rank %d: %.17g, %d wrong\n", rank, results, wrong);
  MPI_Win_free(&created);
  MPI_Win_free(&allocated);
  MPI_Finalize();
  return wrong != 0;
}
