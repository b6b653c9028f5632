// On both ranks, a load of the buffer of a receive before its wait. Both send after they have
// started their receives.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  static int buffer[64];
  const int one = 1;
  MPI_Request request;
  MPI_Irecv(buffer, 64, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
  MPI_Send(&one, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  const int got = LOAD(buffer[0]);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0) printf("read %d\n", got);
  MPI_Finalize();
  return 0;
}
