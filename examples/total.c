// Each rank adds its part to a total on rank 0. It has two bugs: see docs/tutorial.md.
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

  long part = 10 + rank, sum;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
  MPI_Get(&sum, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
  MPI_Win_flush(0, win);
  sum += part;
  MPI_Put(&sum, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
  MPI_Win_unlock(0, win);

  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("total %ld\n", *total);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
