// Both ranks change the buffer of their send before the wait. The message is too long to be
// buffered: neither send is complete before the other rank receives.
#include "../rma/rma.h"
// run: ranks=2
// output: value 1
// expect confirmed, harmful: load @{send} store @{reuse}

static int out[20000], in[20000];

int main(int argc, char** argv) {
  begin(argc, argv);
  MPI_Request request;
  out[9] = 1;
  MPI_Isend(out, 20000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request); /*{send}*/
#ifdef FIXED
  MPI_Recv(in, 20000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  STORE(out[9], 2); /*{reuse}*/
#ifndef FIXED
  MPI_Recv(in, 20000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  if (rank == 0) printf("value %d\n", in[9]);
  MPI_Finalize();
}
