// Transposes a matrix in shared memory repeatedly: shared_transpose STEPS ORDER
// A block of rows of two square matrices for each rank. Each rank adds the columns of the first
// matrix, which lie in the parts of all ranks, to its rows of the second.
#include "shared.h"

enum { kTile = 16 };

// turned[row][column] += from[column][row]
static void add_turned(double* restrict turned, const double* from, long order, long rows) {
  for (long row = 0; row < rows; row += kTile)
    for (long column = 0; column < rows; column += kTile)
      for (long r = row; r < row + kTile; ++r)
        for (long c = column; c < column + kTile; ++c) turned[r * order + c] += from[c * order + r];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long steps = argument(argc, argv, 1, 100), order = argument(argc, argv, 2, 1024);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (order % (ranks * kTile) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  const long rows = order / ranks, block = rows * order;  // elements of a block of rows

  Shared shared = open_shared(2 * block);
  double* matrix = shared.mine;
  double* turned = shared.mine + block;
  for (long i = 0; i < block; ++i) {
    matrix[i] = (double)(mix(rank * block + i) >> 40);
    turned[i] = 0;
  }

  shared_barrier(&shared);
  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
    for (int from = 0; from < ranks; ++from)
      add_turned(turned + from * rows, part_of(&shared, from) + rank * rows, order, rows);
    shared_barrier(&shared);
    for (long i = 0; i < block; ++i) matrix[i] += 1;
    shared_barrier(&shared);
  }
  const double seconds = synchronised_time() - started;

  const uint64_t checksum = checksum_of(turned, block, rank * block);
  close_shared(&shared);
  return finish(seconds, checksum);
}
