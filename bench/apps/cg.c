// Conjugate gradients on a sparse matrix: cg STEPS ORDER
// A block of rows for each rank. The window of every rank holds the whole direction vector. Each
// rank puts its part into all other windows, and the product loads the vector through the column
// indices.
#include "app.h"

enum { kPairs = 12, kRow = 2 * kPairs + 1 };  // elements of a row

typedef struct {
  long rows;
  int* columns;
  double* values;
} Matrix;

// Symmetric and diagonally dominant, and so positive definite. Distances from the diagonal are
// random.
static Matrix make_matrix(long order, long begin, long rows) {
  Matrix matrix = {rows, malloc(rows * kRow * sizeof(int)), malloc(rows * kRow * sizeof(double))};
  for (long row = 0; row < rows; ++row) {
    int* columns = matrix.columns + row * kRow;
    double* values = matrix.values + row * kRow;
    columns[0] = (int)(begin + row);
    values[0] = 2 * kPairs + 1;
    for (int pair = 0; pair < kPairs; ++pair) {
      const long distance = 1 + (long)(mix(pair) % (order / 2 - 1));
      columns[1 + 2 * pair] = (int)((begin + row + distance) % order);
      columns[2 + 2 * pair] = (int)((begin + row + order - distance) % order);
      values[1 + 2 * pair] = values[2 + 2 * pair] =
          -(double)(mix(pair + kPairs) >> 12) / (double)(1L << 52);
    }
  }
  return matrix;
}

static void multiply(double* restrict product, const Matrix* matrix, const double* vector) {
#pragma omp parallel for
  for (long row = 0; row < matrix->rows; ++row) {
    double sum = 0;
    for (long i = row * kRow; i < (row + 1) * kRow; ++i)
      sum += matrix->values[i] * vector[matrix->columns[i]];
    product[row] = sum;
  }
}

static double dot(const double* a, const double* b, long count) {
  double mine = 0, all;
  for (long i = 0; i < count; ++i) mine += a[i] * b[i];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  const long steps = argument(argc, argv, 1, 100), order = argument(argc, argv, 2, 65536);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long begin = share_begin(order, rank, ranks),
             rows = share_begin(order, rank + 1, ranks) - begin;
  Matrix matrix = make_matrix(order, begin, rows);

  double* directions;
  MPI_Win win;
  MPI_Win_allocate(whole_lines(order * sizeof(double)), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &directions, &win);
  double* const mine = directions + begin;
  double* solution = calloc(rows, sizeof(double));
  double* residual = malloc(rows * sizeof(double));
  double* product = malloc(rows * sizeof(double));
  for (long i = 0; i < rows; ++i)
    mine[i] = residual[i] = (double)(mix(begin + i) >> 12) / (double)(1L << 52);

  const double started = synchronised_time();
  double square = dot(residual, residual, rows);
  for (long step = 0; step < steps; ++step) {
    MPI_Win_fence(0, win);
    for (int to = 0; to < ranks; ++to)
      if (to != rank) MPI_Put(mine, (int)rows, MPI_DOUBLE, to, begin, (int)rows, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    multiply(product, &matrix, directions);
    const double length = square / dot(mine, product, rows);
#pragma omp parallel for
    for (long i = 0; i < rows; ++i) solution[i] += length * mine[i];
#pragma omp parallel for
    for (long i = 0; i < rows; ++i) residual[i] -= length * product[i];
    const double before = square;
    square = dot(residual, residual, rows);
#pragma omp parallel for
    for (long i = 0; i < rows; ++i) mine[i] = residual[i] + square / before * mine[i];
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

  const uint64_t checksum = checksum_of(solution, rows, begin);
  MPI_Win_free(&win);
  free(matrix.columns);
  free(matrix.values);
  free(solution);
  free(residual);
  free(product);
  return finish(seconds, checksum);
}
