// Rank 0 receives the messages as they arrive, and assumes that they arrive in rank order. Fixed:
// it names each source.
#include <mpi.h>
#include <stdio.h>
// run: ranks=4
// output: values 1 2 3
// expect confirmed, harmful: receive @{take} send @{give}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[4];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (int i = 1; i < 4; ++i) {
#ifdef FIXED
      const int from = i;
#else
      const int from = MPI_ANY_SOURCE;
#endif
      MPI_Recv(&values[i], 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{take}*/
    }
    printf("values %d %d %d\n", values[1], values[2], values[3]);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 5, MPI_COMM_WORLD); /*{give}*/
  }
  MPI_Finalize();
  return 0;
}
