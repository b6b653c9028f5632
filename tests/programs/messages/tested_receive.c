// Rank 0 tests for some time whether the second message has arrived; if not, it receives the first
// one meanwhile. The bug: it waits for the second message first, but rank 1 sends that only after
// its first send has completed.
//
// run: ranks=2
// expect not independent of send buffering
// output: 1 2
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, first = 1, second = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(&second, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &request);
#ifdef FIXED
    int is_there = 0;
    for (int i = 0; i < 1000 && !is_there; ++i, usleep(1000))
      MPI_Test(&request, &is_there, MPI_STATUS_IGNORE);
#else
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Recv(&first, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    printf("%d %d\n", first, second);
  } else {
    MPI_Send(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Send(&second, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
