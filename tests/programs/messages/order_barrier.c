// Two messages to receives from any source: the library decides which matches first, and the second
// one must be buffered. Fixed: a barrier between the first receive and the second send.
//
// run: ranks=3
// expect message race: receive @{first} send @{send}
// expect not independent of send buffering
// output: 1 2
// output buggy: * *
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[2] = {0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef FIXED
  const int last = 1;
#else
  const int last = 2;
#endif
  if (rank > 0 && rank <= last) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{send}*/
  if (rank == 0)
    MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{first}*/
  MPI_Barrier(MPI_COMM_WORLD);
#ifdef FIXED
  if (rank == 2) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
#endif
  if (rank == 0) {
    MPI_Recv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", values[0], values[1]);
  }
  MPI_Finalize();
  return 0;
}
