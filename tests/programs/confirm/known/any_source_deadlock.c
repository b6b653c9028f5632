// The second receive names rank 1. If the first has taken its message, it waits forever.
#include "../../rma/rma.h"
// run: ranks=3
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank, got = 0;
  if (rank == 0) {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("done\n");
  } else {
    MPI_Request request;  // from rank 2 first, as a rule
    const int ahead = rank == 1;
    if (ahead) MPI_Recv(&got, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Isend(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    if (!ahead) MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
