// Rank 2 sends after a nonblocking scan. The bug: it does not wait for the scan. Fixed: it
// continues only when rank 0 has started the scan, which has its message by then.
//
// run: ranks=3
// expect message race: receive @{first} send @{give}
// expect independent of send buffering
// output: 1 2
// output buggy: * *
#include <mpi.h>
#include <stdio.h>

// Whichever message matches first, the other one could have.
__attribute__((noinline)) static void give(int value) {
  MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{give}*/
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum = 0, values[2];
  MPI_Request scan;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{first}*/
  if (rank == 1) give(rank);
  MPI_Iscan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &scan);
#ifdef FIXED
  MPI_Wait(&scan, MPI_STATUS_IGNORE);
#endif
  if (rank == 2) give(rank);
  MPI_Wait(&scan, MPI_STATUS_IGNORE);
  if (rank == 0) {
    MPI_Recv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", values[0], values[1]);
  }
  MPI_Finalize();
  return 0;
}
