// The classic halo bug, on both ranks: the halo is read before the wait for its receive. Each rank
// sends after it has started its receive. So no rank may wait at its receive for its message, and a
// receive that goes second may not keep its rank from sending.
#include "../rma/rma.h"
// run: ranks=2
// output: sum 8
// expect confirmed, harmful: store @{receive} load @{use}

int main(int argc, char** argv) {
  begin(argc, argv);
  static int halo[4];
  const int mine = 4;
  int sum = 0, total = 0;
  MPI_Request request;
  MPI_Irecv(&halo[3], 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request); /*{receive}*/
  MPI_Send(&mine, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
#ifdef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  for (int i = 0; i < 4; i++) sum += LOAD(halo[i]); /*{use}*/
#ifndef FIXED
  MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
  MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", total);
  MPI_Finalize();
}
