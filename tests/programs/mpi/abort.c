// MPI_Abort: the trace contains everything before it and the call itself, and the exit code is that
// of the program.
#include <unistd.h>
#include "check.h"
// run: ranks=2 exit=7
// output: going down
// expect rank 0: MPI_Send to=1
// expect rank 1: MPI_Recv from=0 matched=0
// expect rank 0: MPI_Barrier DID-NOT-RETURN
// expect rank 1: MPI_Abort comm=MPI_COMM_WORLD code=7 DID-NOT-RETURN @give_up<main
// expect end rank 1: MPI_Abort with 7
// expect not rank all: MPI_Finalize

static void give_up(void) { MPI_Abort(MPI_COMM_WORLD, 7); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, x = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("going down\n");
    fflush(stdout);
    usleep(500000);  // the launcher has forwarded the output, and rank 0 is in the barrier
    give_up();
  }
  MPI_Finalize();
}
