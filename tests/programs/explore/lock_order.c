// Two ranks take two exclusive window locks in opposite order: one of three orders is a deadlock.
// run: ranks=2
// explore: all=3 outcomes=2
// outcome: finished
// deadlock: 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, *memory, one = 1;
  MPI_Win win;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  *memory = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
  MPI_Accumulate(&one, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_unlock(1 - rank, win);
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("finished\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
