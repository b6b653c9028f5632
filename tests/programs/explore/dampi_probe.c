// In the manner of DAMPI's examples: a probe chooses whom to serve, and a message that exists only
// after one choice gives another receive a choice of its own.
// run: ranks=4
// explore: complete outcomes=3
// outcome: probed 1 last 3
// outcome: probed 2 last 3
// outcome: probed 3 last 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Status status;
    int left[4] = {0, 1, 1, 1};
    MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    const int probed = status.MPI_SOURCE;
    MPI_Recv(&value, 1, MPI_INT, probed, 0, MPI_COMM_WORLD, &status);
    left[probed] = 0;
    int last = probed;
    for (int source = 1; source < 4; ++source)
      if (left[source]) {
        MPI_Recv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, &status);
        last = source;
      }
    printf("probed %d last %d\n", probed, last);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
