// Rank 0 waits for a message that rank 1 never sends. Advice: send it before MPI_Finalize.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: rank 0 has 1
// expect deadlock
// expect report buggy: Try: send the message before MPI_Finalize, or do not wait for it.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = -1;
#ifdef FIXED
  if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
  if (rank == 0) MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  if (rank == 0) printf("rank 0 has %d\n", value);
  MPI_Finalize();
}
