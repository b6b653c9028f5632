// A persistent send and receive: their buffers are in use between MPI_Start and the wait, not
// before and after, and not after MPI_Send_init alone. The bug: the second message is written and
// read in between. Fixed: outside.
#include "rma.h"
// run: ranks=2
// output: received 1 2 3
// expect race: load @{start} store @{store}
// expect race: store @{start} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  int buffer = 0, received[3];
  MPI_Request request;
  if (rank == 0)
    MPI_Send_init(&buffer, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(&buffer, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 3; ++i) {
#ifdef FIXED
    const int early = 0;
#else
    const int early = i == 1;
#endif
    if (rank == 0 && !early) STORE(buffer, i + 1);
    MPI_Start(&request);                                /*{start}*/
    if (rank == 0 && early) STORE(buffer, i + 1);       /*{store}*/
    if (rank == 1 && early) received[i] = LOAD(buffer); /*{load}*/
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1 && !early) received[i] = LOAD(buffer);
  }
  MPI_Request_free(&request);
  if (rank == 1) printf("received %d %d %d\n", received[0], received[1], received[2]);
  MPI_Finalize();
}
