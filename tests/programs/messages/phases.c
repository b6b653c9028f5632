// Phases separated by barriers: in each phase rank 0 receives from any source, and there is one
// sender. Without the barrier the senders of two phases race. In every phase the other ranks
// exchange messages with standard sends, which requires buffering; with MPI_Sendrecv it does not.
// run: ranks=5
// output: sum 60
// expect message race: receive @{take} send @{give}
// expect not independent of send buffering
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int phase = 0; phase < 24; ++phase) {
    const int sender = 1 + phase % 4;
    int value = sender, other = 0;
    if (rank == 0) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{take}*/
      sum += value;
    } else if (rank == sender) {
      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{give}*/
    }
    if (rank == 1 || rank == 2) {
#ifdef FIXED
      MPI_Sendrecv(&value, 1, MPI_INT, 3 - rank, 1, &other, 1, MPI_INT, 3 - rank, 1, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE);
#else
      MPI_Send(&value, 1, MPI_INT, 3 - rank, 1, MPI_COMM_WORLD);
      MPI_Recv(&other, 1, MPI_INT, 3 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#endif
    }
#ifndef FIXED
    if (phase % 8 == 3) continue;  // no barrier: the next phase's message may match first
#endif
    MPI_Barrier(MPI_COMM_WORLD);
  }
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
