// Calls that fail, with an error handler that returns: they are recorded with the error code that
// the program received.
#include "check.h"
// run: ranks=2
// output: five errors
// expect rank all: MPI_Send to=outsider tag=0 error=*
// expect rank all: MPI_Recv from=0 tag=ANY error=* !matched=*
// expect rank all: MPI_Bcast root=outsider error=*
// expect rank 1: MPI_Recv from=0 tag=5 writes=*+4(1xMPI_INT) error=*
// expect rank 0: MPI_Send to=1 tag=5 !error=*
// expect rank all: MPI_Put win=$win target=outsider error=*
// expect rank all: MPI_Isend to=outsider error=* !request=*
// expect rank all: MPI_Barrier !error=*

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, x[2] = {0}, errors = 0, *base;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const MPI_Comm world = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  errors += MPI_Send(x, 1, MPI_INT, 17, 0, world) != MPI_SUCCESS;
  errors += MPI_Recv(x, -1, MPI_INT, 0, MPI_ANY_TAG, world, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  errors += MPI_Bcast(x, 1, MPI_INT, 17, world) != MPI_SUCCESS;
  // A message that is longer than the buffer.
  if (rank == 0)
    MPI_Send(x, 2, MPI_INT, 1, 5, world);
  else
    CHECK(MPI_Recv(x, 1, MPI_INT, 0, 5, world, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  MPI_Win win;
  MPI_Win_allocate(8, 4, MPI_INFO_NULL, world, &base, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  MPI_Win_fence(0, win);
  errors += MPI_Put(x, 1, MPI_INT, 17, 0, 1, MPI_INT, win) != MPI_SUCCESS;
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Request request;
  errors += MPI_Isend(x, 1, MPI_INT, 17, 0, world, &request) != MPI_SUCCESS;
  CHECK(MPI_Barrier(world) == MPI_SUCCESS);
  CHECK(errors == 5);
  if (rank == 0) printf("five errors\n");
  MPI_Finalize();
}
