// A halo exchange that measures the size of an event on disk. Each rank sends four faces to its
// neighbors, STEPS times.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kFace = 64 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int steps = argc > 1 ? atoi(argv[1]) : 1000;
  int ranks, dims[2] = {0, 0}, periods[2] = {1, 1}, neighbor[4];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Dims_create(ranks, 2, dims);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &neighbor[0], &neighbor[1]);
  MPI_Cart_shift(grid, 1, 1, &neighbor[2], &neighbor[3]);
  static double out[4][kFace], in[4][kFace];
  double sum = 0;
  for (int step = 0; step < steps; ++step) {
    MPI_Request requests[8];
    for (int i = 0; i < 4; ++i)
      MPI_Irecv(in[i], kFace, MPI_DOUBLE, neighbor[i], i ^ 1, grid, &requests[i]);
    for (int i = 0; i < 4; ++i)
      MPI_Isend(out[i], kFace, MPI_DOUBLE, neighbor[i], i, grid, &requests[4 + i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    if (step % 10 == 0) MPI_Allreduce(&out[0][0], &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
  }
  MPI_Finalize();
  return 0;
}
