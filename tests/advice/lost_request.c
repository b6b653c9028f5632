// One variable for two requests: the second MPI_Isend overwrites the handle of the first, which
// nothing can complete any more. Advice: a request variable for each.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: received 1 2 3
// expect race: load @{isend} store @{store}
// expect report buggy: The accesses are concurrent: rank 0 stores while its own MPI_Isend is pending; its request was lost: no call completes it.
// expect report buggy: `values`, local of main: memory of rank 0 at *, the buffer of MPI_Isend
// expect report buggy: Try: a request variable for each pending MPI_Isend, and MPI_Wait for it before the program reuses the buffer of MPI_Isend. A call that writes the same request variable loses the earlier request.

int main(int argc, char** argv) {
  begin(argc, argv);
  int values[2] = {1, 2};
  if (rank == 0) {
#ifdef FIXED
    MPI_Request requests[2];
    MPI_Isend(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&values[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    values[0] = 3;
#else
    MPI_Request request;
    MPI_Isend(&values[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /*{isend}*/
    MPI_Isend(&values[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    values[0] = 3; /*{store}*/
#endif
    MPI_Send(&values[0], 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  } else {
    int received[3];
    for (int tag = 0; tag < 3; ++tag)
      MPI_Recv(&received[tag], 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d %d %d\n", received[0], received[1], received[2]);
  }
  MPI_Finalize();
}
