// An error that ends the program: the trace contains the failed call and everything before
// it.
#include <unistd.h>
#include "check.h"
// run: ranks=2 exit=nonzero
// output: about to fail
// expect rank all: MPI_Barrier comm=MPI_COMM_WORLD
// expect rank 1: MPI_Reduce root=outsider DID-NOT-RETURN @fail<main
// expect not rank all: MPI_Finalize

static void fail(void) {
  int x = 0, y;
  MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 17, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    printf("about to fail\n");
    fflush(stdout);
    usleep(500000);  // the launcher has forwarded the output
    fail();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
