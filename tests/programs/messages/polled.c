// Each rank sends a packet to the other, and alternately tests the send and polls for incoming
// messages. Whether the send was complete at the first test makes no difference. The bug: it uses
// MPI_Send, which may wait for the receive.
//
// run: ranks=2
// expect not independent of send buffering
// output: 1 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, in = -1, is_there = 0, is_taken = 0, is_sent = 0, others[2];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef FIXED
  MPI_Request request;
  MPI_Isend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
#else
  MPI_Send(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  is_sent = 1;
#endif
  while (!is_sent || !is_taken) {
#ifdef FIXED
    if (!is_sent) MPI_Test(&request, &is_sent, MPI_STATUS_IGNORE);
#endif
    MPI_Iprobe(1 - rank, 0, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
    if (!is_there) continue;
    MPI_Recv(&in, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    is_taken = 1;
  }
  MPI_Gather(&in, 1, MPI_INT, others, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d %d\n", others[0], others[1]);
  MPI_Finalize();
  return 0;
}
