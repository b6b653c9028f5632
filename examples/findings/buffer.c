// A rank writes the buffer of a send before the send completes. Built with -DFIXED it waits for the
// send first.
#include <mpi.h>
#include <stdio.h>

static void produce(int* block, int step) {
  for (int i = 0; i < 4; ++i) block[i] = step;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, block[4];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    produce(block, 1);
    MPI_Isend(block, 4, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
#ifdef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    produce(block, 2);
#ifndef FIXED
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Send(block, 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    for (int step = 1; step <= 2; ++step) {
      MPI_Recv(block, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      printf("step %d: %d\n", step, block[0]);
    }
  }
  MPI_Finalize();
  return 0;
}
