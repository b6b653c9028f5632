// Several outstanding receives from any source; the program assumes that the first one has rank 1's
// message. Fixed: one for each rank, with a named source.
//
// run: ranks=4
// expect message race: receive @{post} send @{give}
// expect independent of send buffering
// output: 6
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    int values[8] = {0}, sum = 0;
    MPI_Request requests[8];
    for (int i = 1; i < size; ++i) {
#ifdef FIXED
      MPI_Irecv(&values[i], 1, MPI_INT, i, 3, MPI_COMM_WORLD, &requests[i]);
#else
      MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[i]); /*{post}*/
#endif
    }
    MPI_Waitall(size - 1, requests + 1, MPI_STATUSES_IGNORE);
    for (int i = 1; i < size; ++i) sum += values[i];
    printf("%d\n", sum);
  } else {
    MPI_Send(&rank, 1, MPI_INT, 0, 3, MPI_COMM_WORLD); /*{give}*/
  }
  MPI_Finalize();
  return 0;
}
