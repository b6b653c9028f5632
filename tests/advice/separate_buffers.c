// Two receives are pending in one buffer, so the first message is lost. Advice: a buffer for each.
#include "../programs/rma/rma.h"
// run: ranks=2
// output: received 1 and 2
// expect race: store @{first} store @{second}
// expect report buggy: Try: a separate buffer for each MPI_Irecv, or MPI_Wait for its request and use of its data before the second.

int main(int argc, char** argv) {
  begin(argc, argv);
  int values[2] = {1, 2};
  if (rank == 0) {
    for (int tag = 0; tag < 2; ++tag) MPI_Send(&values[tag], 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
  } else {
    MPI_Request requests[2];
    int first = 0, second = 0;
#ifdef FIXED
    int* const of_second = &second;
#else
    int* const of_second = &first;
#endif
    MPI_Irecv(&first, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);    /*{first}*/
    MPI_Irecv(of_second, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]); /*{second}*/
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    printf("received %d and %d\n", first, second);
  }
  MPI_Finalize();
}
