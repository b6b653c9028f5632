// One rank fails because of two others: rank 3 sends a number to rank 7, which puts it into the
// memory of rank 12. All other ranks add to a counter there. Run it with 16 ranks.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, number = 2, *memory;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win win;
  MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = memory[1] = 0;
  MPI_Win_fence(0, win);
  if (rank == 3) {
    number = -2;
    MPI_Send(&number, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
  } else if (rank == 7) {
    MPI_Recv(&number, 1, MPI_INT, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Put(&number, 1, MPI_INT, 12, 0, 1, MPI_INT, win);
  } else {
    MPI_Accumulate(&number, 1, MPI_INT, 12, 1, 1, MPI_INT, MPI_SUM, win);
  }
  MPI_Win_fence(0, win);
  const int length = memory[0];
  if (length < 0) printf("rank %d: negative length %d\n", rank, length);
  MPI_Win_free(&win);
  MPI_Finalize();
  return length < 0 ? 3 : 0;
}
