// A master takes one message from each worker in each round, and prints who was first in the last
// one.
#include "../../rma/rma.h"
// variants: 10=-DINSTANCES=10
// run: ranks=3
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank, got = 0, first = 0;
  for (int round = 0; round < INSTANCES; ++round) {
    if (rank > 0) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; i < size && rank == 0; ++i) {
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (i == 1) first = got;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("first %d\n", first);
  MPI_Finalize();
  return 0;
}
