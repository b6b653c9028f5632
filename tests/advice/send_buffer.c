// The buffer of MPI_Isend is reused before the wait. Advice: wait first.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: received 1 2
// expect race: load @{isend} store @{store}
// expect report buggy: Try: MPI_Wait for its request before the program reuses the buffer of MPI_Isend.

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = 1;
  if (rank == 0) {
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /*{isend}*/
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    value = 2;
#else
    value = 2; /*{store}*/
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    int first, second;
    MPI_Recv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d %d\n", first, second);
  }
  MPI_Finalize();
}
