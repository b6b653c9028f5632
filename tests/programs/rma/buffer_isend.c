// The buffer of an MPI_Isend is received into, and then overwritten, before the send completes.
// Fixed: after its wait.
#include "rma.h"
// run: ranks=2
// output: swapped 3 2
// expect race: load @{isend} store @{receive}
// expect race: load @{isend} store @{store}

int main(int argc, char** argv) {
  begin(argc, argv);
  int value = rank, received;
  MPI_Request request;
  MPI_Isend(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request); /*{isend}*/
#ifdef FIXED
  MPI_Recv(&received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  STORE(value, received + 2);
#else
  MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
  received = value;
  STORE(value, received + 2); /*{store}*/
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  int both[2];
  MPI_Gather(&value, 1, MPI_INT, both, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("swapped %d %d\n", LOAD(both[0]), LOAD(both[1]));
  MPI_Finalize();
}
