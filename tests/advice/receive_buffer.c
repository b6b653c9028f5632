// The result of MPI_Irecv is used before the wait. Advice: wait first.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: received 7
// expect race: store @{irecv} load @{load}
// expect report buggy: Try: MPI_Wait for its request before the program uses the result of MPI_Irecv.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank == 0 ? 7 : 0;
  if (rank == 0) {
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /*{irecv}*/
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int received = value;
#else
    const int received = value; /*{load}*/
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    printf("received %d\n", received);
  }
  MPI_Finalize();
}
