// A receive without a wait: it takes its message nevertheless, and the sender needs no buffer. The
// bug: there is no receive.
//
// run: ranks=2
// expect not independent of send buffering
// output: sent
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 0;
#ifdef FIXED
  static int received;
  MPI_Request request;
#endif
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef FIXED
  if (rank == 0) MPI_Irecv(&received, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
#endif
  if (rank == 1) {
    MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    puts("sent");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
