// Two pending receives write to one buffer: the calls alone show the race. Built with -DFIXED each
// has its own buffer.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, in[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int from = 1; from <= 2; ++from) {
#ifdef FIXED
      MPI_Irecv(&in[from - 1], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[from - 1]);
#else
      MPI_Irecv(&in[0], 1, MPI_INT, from, 0, MPI_COMM_WORLD, &requests[from - 1]);
#endif
    }
    MPI_Waitall(2, requests, statuses);
    printf("got %d\n", in[0] + in[1]);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
