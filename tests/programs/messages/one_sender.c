// Receives from any source with a single possible sender: on a communicator of two ranks, by tag,
// and after a barrier. No other match is possible.
//
// run: ranks=3
// expect no race
// expect deterministic
// expect independent of send buffering
// output: 1 2 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, a = 0, b = 0, c = 0;
  MPI_Comm pair;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &pair);
  if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 0, pair);
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&a, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, pair, MPI_STATUS_IGNORE);
    MPI_Recv(&b, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Recv(&c, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d %d\n", a, b, c);
  }
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return 0;
}
