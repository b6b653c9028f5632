// The receiver notifies rank 3, and rank 3 notifies rank 2, that the first message was received.
// The bug: rank 3 does not wait for the notification.
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
    usleep(100000);  // usually long enough
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
