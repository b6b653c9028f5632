// Rank 0 takes results as they arrive, with MPI_Waitany: each receive has one sender, but the order
// varies between runs. Built with -DFIXED it takes them in rank order.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, in[2], index;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i)
      MPI_Irecv(&in[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
    int sum = 0;
    for (int i = 0; i < 2; ++i) {
#ifdef FIXED
      index = i;
      MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
#else
      MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
#endif
      sum = 10 * sum + in[index];
    }
    printf("sum %d\n", sum);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
