// A partitioned send: a partition may be written until its MPI_Pready, independent of the others; a
// received one may be read when MPI_Parrived returns true. The bug: partition 0 is written after
// its MPI_Pready. Fixed: before it.
#include "rma.h"
// run: ranks=2 mpi=mpich
// output: received 1 2
// expect race: load @{ready} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  int parts[2] = {0};
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(parts, 2, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
#ifdef FIXED
    STORE(parts[0], 1);
#endif
    MPI_Pready(0, request); /*{ready}*/
#ifndef FIXED
    STORE(parts[0], 1); /*{store}*/
#endif
    STORE(parts[1], 2);
    MPI_Pready(1, request);
  } else {
    MPI_Precv_init(parts, 2, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int there = 0; !there; sched_yield()) MPI_Parrived(request, 1, &there);
    CHECK(LOAD(parts[1]) == 2);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) printf("received %d %d\n", LOAD(parts[0]), LOAD(parts[1]));
  MPI_Request_free(&request);
  MPI_Finalize();
}
