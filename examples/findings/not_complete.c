// A rank uses the result of a get while the get is pending. Built with -DFIXED it waits for the get
// first.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, got = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* cell;
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
  *cell = 7;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
#ifdef FIXED
    MPI_Win_flush(1, win);
#endif
    const int twice = 2 * got;
    MPI_Win_unlock(1, win);
    printf("twice %d\n", twice);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
