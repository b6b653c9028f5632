// Windows of a program with MPI_THREAD_MULTIPLE that calls MPI from one thread. Open MPI then has
// fewer components for windows of one process, as in a replay.
// run: ranks=3 groups=1;0-2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int level, rank, ranks;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  long *allocated, created[16] = {0};
  MPI_Win wins[2];
  MPI_Win_allocate(16 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated,
                   &wins[0]);
  MPI_Win_create(created, sizeof created, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &wins[1]);
  for (int i = 0; i < 16; ++i) allocated[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  long sum = 0;
  for (int round = 0; round < 5; ++round)
    for (int i = 0; i < 2; ++i) {
      const long mine = rank * 10 + round;
      long got = 0;
      MPI_Win_lock_all(0, wins[i]);
      MPI_Fetch_and_op(&mine, &got, MPI_LONG, 0, 0, MPI_SUM, wins[i]);
      MPI_Put(&mine, 1, MPI_LONG, (rank + 1) % ranks, 1, 1, MPI_LONG, wins[i]);
      MPI_Win_unlock_all(wins[i]);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, wins[i]);
      sum = sum * 7 + got + (i == 0 ? allocated[1] : created[1]);
      MPI_Win_unlock(rank, wins[i]);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  printf("rank %d: level %d, %ld\n", rank, level, sum);
  MPI_Win_free(&wins[0]);
  MPI_Win_free(&wins[1]);
  MPI_Finalize();
}
