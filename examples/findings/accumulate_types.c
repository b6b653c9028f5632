// Two ranks accumulate to one address: one adds an int, the other a long. With -DFIXED, both add
// a long.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, one = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long *sum, two = 2;
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &sum, &win);
  MPI_Win_set_name(win, "sum");
  *sum = 0;
  MPI_Win_fence(0, win);
#ifdef FIXED
  if (rank == 1) MPI_Accumulate(&two, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
#else
  if (rank == 1) MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
#endif
  if (rank == 2) MPI_Accumulate(&two, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
  MPI_Win_fence(0, win);
  if (rank == 0) printf("sum %ld\n", *sum);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
