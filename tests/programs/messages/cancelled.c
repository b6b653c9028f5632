// A cancelled receive: a message that arrives later could have matched it. Fixed: the sender waits
// until the cancellation is complete.
//
// run: ranks=2
// expect message race: receive @{post} send @{give}
// output: done
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, early = 0, late = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    MPI_Status status;
    int cancelled;
    MPI_Irecv(&early, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request); /*{post}*/
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
#ifdef FIXED
    MPI_Send(&early, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
#endif
    if (cancelled) MPI_Recv(&late, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("done\n");
  } else {
#ifdef FIXED
    MPI_Recv(&early, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    usleep(200000);
#endif
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{give}*/
  }
  MPI_Finalize();
  return 0;
}
