// Rank 0 waits in a synchronous send that rank 1 never receives. Advice: receive the message before
// MPI_Finalize.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: rank 1 has 0
// expect deadlock
// expect report buggy: Try: receive the message before MPI_Finalize, or do not send it.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = -1;
  if (rank == 0) MPI_Ssend(&rank, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
#ifdef FIXED
  if (rank == 1) MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  if (rank == 1) printf("rank 1 has %d\n", value);
  MPI_Finalize();
}
