// MPI_Iexscan does not use the receive buffer of rank 0: rank 0 may load and store it while the
// scan is pending. With a bug, rank 1 does so, too. Fixed: after its wait.
#include "rma.h"
// run: ranks=3
// output: before rank 2: 3
// expect race: store @{iexscan} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  int mine = rank + 1, before = 0;
  MPI_Request request;
  MPI_Iexscan(&mine, &before, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /*{iexscan}*/
  if (rank == 0) STORE(before, LOAD(before) + 7);
#ifdef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  if (rank == 1) STORE(before, 1); /*{store}*/
#ifndef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  if (rank == 0) CHECK(LOAD(before) == 7);
  if (rank == 2) printf("before rank 2: %d\n", LOAD(before));
  MPI_Finalize();
}
