// The receiver tells rank 3, which tells rank 2, that the first message is in. Buggy: rank 3 does
// not wait to be told.
//
// run: ranks=4
// expect message race: receive @{first} send @{send}
// output: 1 2
// output buggy: * *
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[2], told = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{first}*/
    MPI_Send(&told, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
    MPI_Recv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", values[0], values[1]);
  } else if (rank == 3) {
#ifdef FIXED
    MPI_Recv(&told, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    usleep(100000);  // long enough, mostly
#endif
    MPI_Send(&told, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
#ifndef FIXED
    MPI_Recv(&told, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
  } else {
    if (rank == 2) MPI_Recv(&told, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{send}*/
  }
  MPI_Finalize();
  return 0;
}
