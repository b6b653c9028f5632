// Another profiling tool, linked into the program: both intercept each send exactly once.
#include "check.h"
// run: ranks=2
// build: source=parts/counting_tool.c
// output: tool: rank 0 sent 3
// output: tool: rank 1 sent 1
// expect count=3 rank 0: MPI_Send to=1
// expect count=1 rank 1: MPI_Send to=0
// expect rank 0: MPI_Send tag=2 reads=*+4(1xMPI_INT)
// expect count=1 rank all: MPI_Init
// expect count=1 rank all: MPI_Finalize
// expect count=6 rank 0: *

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, x = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i)
    if (rank == 0)
      MPI_Send(&x, 1, MPI_INT, 1, i, MPI_COMM_WORLD);
    else
      MPI_Recv(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1)
    MPI_Send(&x, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
  else
    MPI_Recv(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
}
