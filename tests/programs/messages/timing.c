// No message could have matched another receive, but the program tests what has arrived so far.
// Fixed: it waits for all.
//
// run: ranks=3
// expect not deterministic
// expect independent of send buffering
// output: 3
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[2], sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i)
      MPI_Irecv(&values[i], 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &requests[i]);
#ifdef FIXED
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
#else
    for (int i = 0; i < 2; ++i) {
      int which;
      MPI_Waitany(2, requests, &which, MPI_STATUS_IGNORE);
    }
#endif
    sum = values[0] + values[1];
    printf("%d\n", sum);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
