// Both ranks send synchronously first. Advice: MPI_Irecv before the sends.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: rank 0 has 1
// expect deadlock
// expect report buggy: Try: MPI_Sendrecv, or MPI_Irecv before the sends.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = -1;
#ifdef FIXED
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
  MPI_Ssend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#else
  MPI_Ssend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  if (rank == 0) printf("rank 0 has %d\n", value);
  MPI_Finalize();
}
