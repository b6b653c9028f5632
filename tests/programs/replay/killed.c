// A terminal gets the output at the end of each line, even if the rank is killed later; Open MPI
// gives each rank a terminal.
// run: ranks=2 groups=0;0,1 exit=nonzero
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int lines = isatty(STDOUT_FILENO) ? 10 : 1000;  // more than is buffered
  for (int i = 0; i < lines; ++i) printf("rank %d, line %d of %d\n", rank, i, lines);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) raise(SIGKILL);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
