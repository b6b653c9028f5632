// Many different messages: enough to fill a small disk.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int messages = atoi(argv[1]);
  unsigned random = 1;
  for (int i = 0; i < messages; ++i) {
    random = random * 1664525u + 1013904223u;
    const int tag = (int)(random >> 8) & 0x7fff;
    if (rank == 0)
      MPI_Send(&i, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
    else
      MPI_Recv(&i, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  printf("rank %d done\n", rank);
  MPI_Finalize();
  return 0;
}
