// The first of two messages is printed.
#include "../../rma/rma.h"
// run: ranks=3
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank, first = 0, second = 0;
  if (rank > 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("first %d\n", first);
  }
  MPI_Finalize();
  return 0;
}
