// A ring in which every rank sends first: it requires buffering. Fixed: even ranks send first, odd
// ones receive first.
//
// run: ranks=4
// expect not independent of send buffering
// expect deterministic
// output: went round
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, token = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
#ifdef FIXED
  if (rank % 2 == 1) {
    int in;
    MPI_Recv(&in, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    token = in;
  } else
#endif
  {
    MPI_Send(&token, 1, MPI_INT, right, 0, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (rank == 0) printf("went round\n");
  MPI_Finalize();
  return 0;
}
