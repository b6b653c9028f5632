// Four of 16 ranks: ranks 1, 4 and 10 add to a counter of rank 15, which then is too high. The
// others add to other counters, one of them next to it.
// run: ranks=16 failure=15 group=1,4,10,15 prints="rank 15: counter is 6"
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  volatile long* memory;
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory,
                   &win);
  for (int i = 0; i < 4; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);

  const long more = rank == 1 ? 1 : rank == 4 ? 2 : 3;
  const int adds = rank == 1 || rank == 4 || rank == 10;
  MPI_Accumulate(&more, 1, MPI_LONG, rank % 2 == 0 || adds ? 15 : 14, adds ? 1 : 2, 1, MPI_LONG,
                 MPI_SUM, win);
  MPI_Win_flush_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  long counter = 0;
  if (rank >= 14) {
    MPI_Get(&counter, 1, MPI_LONG, 15, rank == 15 ? 1 : 2, 1, MPI_LONG, win);
    MPI_Win_flush(15, win);
  }
  printf("rank %d: counter is %ld\n", rank, counter);
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 15 && counter > 5) MPI_Abort(MPI_COMM_WORLD, 4);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
