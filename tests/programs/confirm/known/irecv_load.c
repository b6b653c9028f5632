// A load of the buffer of a receive before its wait: it reads 0 or 1.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  static int buffer[64];
  MPI_Request request;
  if (rank == 0) {
    buffer[0] = 1;
    MPI_Send(buffer, 64, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Irecv(buffer, 64, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    const int got = LOAD(buffer[0]);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("read %d\n", got);
  }
  MPI_Finalize();
  return 0;
}
