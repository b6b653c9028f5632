// A message of rank 2 has another meaning; handled as the first, it crashes the receiver.
#include "../../rma/rma.h"
// run: ranks=3
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank, got = 0, other = 0;
  static int table[4];
  if (rank > 0) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int* volatile entry = got == 1 ? table : NULL;
    printf("entry %d\n", entry[0]);
  }
  MPI_Finalize();
  return 0;
}
