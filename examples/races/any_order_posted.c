// Wildcard receives posted before the senders start; which of two greetings arrives first does not
// matter. Fixed: each receive names its source.
#include <mpi.h>
#include <stdio.h>
// run: ranks=3
// output: greeted by 2
// expect confirmed, same outcome: receive @{take} send @{give}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, greetings[2] = {0};
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request requests[2];
  if (rank == 0)
    for (int i = 0; i < 2; ++i) {
#ifdef FIXED
      const int from = i + 1;
#else
      const int from = MPI_ANY_SOURCE;
#endif
      MPI_Irecv(&greetings[i], 1, MPI_INT, from, 5, MPI_COMM_WORLD, &requests[i]); /*{take}*/
    }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    printf("greeted by %d\n", greetings[0] + greetings[1]);
  } else {
    const int one = 1;
    MPI_Send(&one, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /*{give}*/
  }
  MPI_Finalize();
  return 0;
}
