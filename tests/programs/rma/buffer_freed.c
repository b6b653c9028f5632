// A send whose request is freed, as in example 3.13 of the MPI standard: no call completes it. The
// answer of the receiver tells that its buffer may be used again; another send does not. The bug:
// the buffer is overwritten before the answer. Receives are the same, and a cancelled one is over.
#include "rma.h"
// run: ranks=2
// output: answer 3
// expect race: load @{send} store @{store}
// expect race: store @{receive} load @{load}
enum { kRounds = 3 };

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = 0, other = 7, answer = 0, early = 0;
  MPI_Request request;
  for (int i = 1; i <= kRounds; ++i) {
    if (rank == 0) {
      STORE(value, i);
      MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /*{send}*/
      MPI_Request_free(&request);
      MPI_Isend(&other, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
#ifndef FIXED
      STORE(value, i); /*{store}*/
#endif
      MPI_Recv(&answer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      STORE(value, 0);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      MPI_Irecv(&other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request); /*{receive}*/
      MPI_Request_free(&request);
#ifndef FIXED
      early += LOAD(other); /*{load}*/
#endif
      MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) early += LOAD(other);
  }
  if (rank == 1) {
    MPI_Irecv(&other, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    STORE(other, early);
  }
  if (rank == 0) printf("answer %d\n", answer);
  MPI_Finalize();
}
