// Memory is freed while it is sent. Advice: wait first.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: received 8
// expect race: load @{isend} release @{free}
// expect report buggy: Try: MPI_Wait for its request before the program releases the buffer of MPI_Isend.

int main(int argc, char** argv) {
  begin(argc, argv);
  if (rank == 0) {
    int* values = malloc(8 * sizeof(int));
    for (int i = 0; i < 8; ++i) values[i] = i + 1;
    MPI_Request request;
    MPI_Isend(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /*{isend}*/
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(values);
#else
    free(values); /*{free}*/
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  } else {
    int received[8];
    MPI_Recv(received, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d\n", received[7]);
  }
  MPI_Finalize();
}
