// Both buffers of an MPI_Iallreduce are used before its wait: the send buffer is overwritten, the
// receive buffer is read. Fixed: after the wait. Loads of the send buffer are always allowed.
#include "rma.h"
// run: ranks=3
// output: sum 6
// expect race: load @{iallreduce} store @{store}
// expect race: store @{iallreduce} load @{load}

int main(int argc, char** argv) {
  begin(argc, argv);
  int mine = rank + 1, sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request); /*{iallreduce}*/
  CHECK(LOAD(mine) == rank + 1);
#ifdef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  const int read = LOAD(sum); /*{load}*/
  STORE(mine, 0);             /*{store}*/
#ifndef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  if (rank == 0) printf("sum %d\n", read);
  MPI_Finalize();
}
