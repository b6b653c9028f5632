// Transposes a square matrix repeatedly: transpose STEPS ORDER
// A block of rows for each rank, stored as one block of columns for each rank. Each rank puts these
// blocks into the windows of the others, and the owner of the window transposes them. There is one
// window for even and one for odd steps: one is read while the other may be written.
#include "app.h"

enum { kTile = 16 };

// turned[column][row] += block[row][column]
static void add_turned(double* restrict turned, long turned_width, const double* block, long rows,
                       long columns) {
  for (long row = 0; row < rows; row += kTile)
    for (long column = 0; column < columns; column += kTile)
      for (long r = row; r < row + kTile; ++r)
        for (long c = column; c < column + kTile; ++c)
          turned[c * turned_width + r] += block[r * columns + c];
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long steps = argument(argc, argv, 1, 100), order = argument(argc, argv, 2, 1024);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const long width = order / ranks, block = width * width;  // elements of a block
  if (order % (ranks * kTile) != 0) MPI_Abort(MPI_COMM_WORLD, 2);

  double* in;
  MPI_Win win;
  MPI_Win_allocate(2 * ranks * block * sizeof(double), sizeof(double), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &in, &win);
  double* matrix =
      aligned_alloc(kLine, ranks * block * sizeof(double));  // [destination][my row][their row]
  double* turned = aligned_alloc(kLine, width * order * sizeof(double));  // [my row][row]
  for (long i = 0; i < ranks * block; ++i) {
    matrix[i] = (double)(mix(rank * ranks * block + i) >> 40);
    turned[i] = 0;
  }

  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  const double started = synchronised_time();
  for (long step = 0; step < steps; ++step) {
    const long side = step % 2 * ranks * block;
    for (int to = 0; to < ranks; ++to)
      MPI_Put(matrix + to * block, (int)block, MPI_DOUBLE, to, side + rank * block, (int)block,
              MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    for (int from = 0; from < ranks; ++from)
      add_turned(turned + from * width, order, in + side + from * block, width, width);
    for (long i = 0; i < ranks * block; ++i) matrix[i] += 1;
  }
  const double seconds = synchronised_time() - started;
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);

  const uint64_t checksum = checksum_of(turned, width * order, rank * width * order);
  MPI_Win_free(&win);
  free(matrix);
  free(turned);
  return finish(seconds, checksum);
}
