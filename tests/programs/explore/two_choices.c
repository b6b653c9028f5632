// A deadlock that needs two choices: each of two ranks has to match the later message first.
// run: ranks=4
// explore: all=4 outcomes=2
// outcome: finished
// deadlock: 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank >= 2) {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    int late = 0;
    for (int i = 0; i < 2; ++i) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
      if (i == 0) late = status.MPI_SOURCE == 3;
    }
    int other = 0;
    MPI_Sendrecv(&late, 1, MPI_INT, 1 - rank, 1, &other, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (late && other) MPI_Recv(&value, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 0) printf("finished\n");
  }
  MPI_Finalize();
  return 0;
}
