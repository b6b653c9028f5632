// A store into the buffer of a send before its wait: 1 or 2 arrives.
#include "../../rma/rma.h"
// run: ranks=2
// truth: harmful
int main(int argc, char** argv) {
  begin(argc, argv);
  static int buffer[64];
  MPI_Request request;
  if (rank == 0) {
    buffer[0] = 1;
    MPI_Isend(buffer, 64, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    STORE(buffer[0], 2);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(buffer, 64, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d\n", buffer[0]);
  }
  MPI_Finalize();
  return 0;
}
