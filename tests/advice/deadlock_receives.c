// Both ranks receive first. Advice: on one of them, the send comes first.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: rank 0 has 1
// expect deadlock
// expect report buggy: Try: on one of these ranks, move the send or the collective in front of the receive.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = -1;
#ifdef FIXED
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
#else
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
#endif
  if (rank == 0) printf("rank 0 has %d\n", value);
  MPI_Finalize();
}
