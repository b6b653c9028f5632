// Rank 2 sends after it has all partitions of a message of rank 0, which readies the last one after
// its receive. The bug: it does not wait for them.
//
// run: ranks=3 mpi=mpich
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
  int rank, values[2], parts[2] = {0, 0};
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Psend_init(parts, 2, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Pready(0, request);
    MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{first}*/
    MPI_Pready(1, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Recv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", values[0], values[1]);
  }
  if (rank == 1) give(rank);
  if (rank == 2) {
    MPI_Precv_init(parts, 2, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    give(rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  MPI_Finalize();
  return 0;
}
