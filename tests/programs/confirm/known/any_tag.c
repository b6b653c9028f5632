// The receive takes any source and any tag; the tag decides.
#include "../../rma/rma.h"
// run: ranks=3
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank, got = 0, other = 0;
  MPI_Status status;
  if (rank > 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 10 + rank, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("tag %d\n", status.MPI_TAG);
  }
  MPI_Finalize();
  return 0;
}
