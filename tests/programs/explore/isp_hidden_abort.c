// The introductory example of ISP, rewritten: the program fails only if the wildcard receive
// matches rank 2, whose message leaves after a barrier that the receive was posted before.
// run: ranks=3
// explore: all=2 outcomes=2
// outcome: first 22
// failure: MPI_Abort with 33
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, value, first = 0, second = 0;
  MPI_Request request;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    value = 22;
    MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (first == 33) MPI_Abort(MPI_COMM_WORLD, 33);
    printf("first %d\n", first);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
    value = 33;
    MPI_Isend(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
