// A deadlock of two ranks, until it is interrupted.
// run: ranks=4 groups=1;0-3 exit=nonzero interrupt=3
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, got = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("rank %d: %d\n", rank, got);
  fflush(stdout);
  MPI_Recv(&got, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&rank, 1, MPI_INT, rank ^ 1, 0, MPI_COMM_WORLD);
  printf("rank %d: never here\n", rank);
  MPI_Finalize();
  return 0;
}
