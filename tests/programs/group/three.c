// Three of 16 ranks: rank 3 sends a number to rank 7, which puts it into the memory of rank 12. It
// is negative, and rank 12 aborts. The others accumulate and exchange messages.
// run: ranks=16 failure=12 group=3,7,12 prints="rank 12: negative length -4"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  volatile int* memory;
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory,
                   &win);
  for (int i = 0; i < 4; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);

  int number = rank + 1;
  if (rank == 3) {
    number = -2;
    MPI_Send(&number, 1, MPI_INT, 7, 0, MPI_COMM_WORLD);
  } else if (rank == 7) {
    MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    number *= 2;
    MPI_Put(&number, 1, MPI_INT, 12, 1, 1, MPI_INT, win);
    MPI_Win_flush(12, win);
  } else if (rank != 12) {  // to rank 12, too: it does not read these
    MPI_Accumulate(&number, 1, MPI_INT, rank % 2 == 0 ? 12 : 0, 2, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_flush_all(win);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_sync(win);
  const int length = memory[1];
  if (length < 0) {
    printf("rank %d: negative length %d\n", rank, length);
    fflush(stdout);
    abort();
  }
  if (rank == 7)  // later: not a part of what failed
    MPI_Recv(&number, 1, MPI_INT, 8, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 8) MPI_Send(&number, 1, MPI_INT, 7, 1, MPI_COMM_WORLD);
  printf("rank %d: length %d\n", rank, length);
  fflush(stdout);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
