// Both ranks send, test the send once, and receive; if the test failed, they wait after the
// receive. Without buffering that completes, too.
//
// run: ranks=2
// expect no race
// expect independent of send buffering
// output: 1 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, in = -1, flag, others[2];
  MPI_Request request;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!flag) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Gather(&in, 1, MPI_INT, others, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %d\n", others[0], others[1]);
  MPI_Finalize();
}
