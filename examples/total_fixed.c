// Each rank adds its part to a total on rank 0. This is total.c with both bugs fixed.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  long* total;
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &total, &win);
  MPI_Win_set_name(win, "total");
  *total = 0;
  MPI_Barrier(MPI_COMM_WORLD);

  long part = 10 + rank;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Accumulate(&part, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_SUM, win);
  MPI_Win_unlock(0, win);

  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("total %ld\n", *total);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
