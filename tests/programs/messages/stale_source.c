// A probe for any tag, then a receive that names the source but not the tag of the probed message:
// another message of that rank may match first. The probe itself could have seen the other rank's
// message. Fixed: the sources in rank order.
//
// run: ranks=3
// expect message race: probe @{look} send @{give}
// output: 3
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    int sum = 0;
    for (int i = 1; i <= 2; ++i) {
      MPI_Status status;
      int value;
#ifdef FIXED
      MPI_Probe(i, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
#else
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status); /*{look}*/
#endif
      MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      sum += value;
    }
    printf("%d\n", sum);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD); /*{give}*/
  }
  MPI_Finalize();
  return 0;
}
