// The sum of two messages does not depend on their order.
#include "../../rma/rma.h"
// run: ranks=3
// truth: same outcome
int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank, first = 0, second = 0;
  if (rank > 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("sum %d\n", first + second);
  }
  MPI_Finalize();
  return 0;
}
