// Ranks that wait for each other for ever, in the way that argv[1] says.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  static double out[1 << 20], in[1 << 20];
  MPI_Init(&argc, &argv);
  int rank, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);  // all have started
  if (rank == 0) {
    printf("started\n");
    fflush(stdout);
  }
  if (strcmp(argv[1], "sends") == 0 && rank < 2)
    MPI_Send(out, 1 << 20, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
  if (strcmp(argv[1], "ring") == 0)
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (strcmp(argv[1], "request") == 0 && rank < 2) {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (strcmp(argv[1], "barrier") == 0 && rank == 0)
    MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Recv(in, 1 << 20, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
