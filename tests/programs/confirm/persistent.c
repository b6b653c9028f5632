// A persistent send and receive, and their buffers between MPI_Start and the wait: such operations
// are seen, and done early if they are to be first. Fixed: the buffers are used outside.
#include "../rma/rma.h"
// run: ranks=2
// output: received 1 2 3
// expect confirmed: load @{start} store @{store}
// expect confirmed: store @{start} load @{load}

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
    if (rank == 0 && !early) buffer = i + 1;
    MPI_Startall(1, &request);                    /*{start}*/
    if (rank == 0 && early) buffer = i + 1;       /*{store}*/
    if (rank == 1 && early) received[i] = buffer; /*{load}*/
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1 && !early) received[i] = buffer;
  }
  MPI_Request_free(&request);
  if (rank == 1) printf("received %d %d %d\n", received[0], received[1], received[2]);
  MPI_Finalize();
}
