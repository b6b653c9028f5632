// Two ranks send to each other first, more or less than the library buffers. Here it is less, so
// that the program completes. Fixed: MPI_Sendrecv.
//
// run: ranks=2
// expect not independent of send buffering
// expect deterministic
// output: exchanged
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  double out[16] = {0}, in[16];
#ifdef FIXED
  MPI_Sendrecv(out, 16, MPI_DOUBLE, 1 - rank, 0, in, 16, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
#else
  MPI_Send(out, 16, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(in, 16, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  if (rank == 0) printf("exchanged\n");
  MPI_Finalize();
  return 0;
}
