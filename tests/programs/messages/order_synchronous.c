// Rank 1 sends, and then notifies rank 2, which sends. With a synchronous send the first message is
// matched by then; with a standard send it may still be pending.
//
// run: ranks=3
// expect message race: receive @{first} send @{send}
// expect independent of send buffering
// output: 1 2
// output buggy: * *
#include <mpi.h>
#include <stdio.h>

#ifdef FIXED
#define SEND MPI_Ssend
#else
#define SEND MPI_Send
#endif

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[2], token = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{first}*/
    MPI_Recv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", values[0], values[1]);
  } else {
    if (rank == 2) MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    SEND(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{send}*/
    if (rank == 1) MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
