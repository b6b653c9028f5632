// The ranks call collectives in different orders. Advice: the same order.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: rank 0 has 1
// expect deadlock
// expect report buggy: Try: call the same collectives, in the same order and with the same root, on all ranks of the communicator.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = -1;
#ifdef FIXED
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
#else
  if (rank == 0) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  } else {
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
#endif
  if (rank == 0) printf("rank 0 has %d\n", value);
  MPI_Finalize();
}
