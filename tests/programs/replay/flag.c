// Waits for a flag that a put sets, and loads it from the window in each iteration.
// run: ranks=4 groups=1;0,1;0-3
// build: pass=only
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  volatile int* memory;
  MPI_Win win;
  MPI_Win_allocate(16 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory,
                   &win);
  for (int i = 0; i < 16; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  long turns = 0, found = 0;
  const int to = (rank + 1) % ranks;
  for (int round = 1; round <= 20; ++round) {
    if (rank == 0 || round > 0) {
      const int value = rank * 100 + round;
      MPI_Put(&value, 1, MPI_INT, to, 1, 1, MPI_INT, win);
      MPI_Win_flush(to, win);
      MPI_Put(&round, 1, MPI_INT, to, 0, 1, MPI_INT, win);
      MPI_Win_flush(to, win);
    }
    while (memory[0] < round) {
      MPI_Win_sync(win);
      int flag;
      MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      ++turns;
    }
    MPI_Win_sync(win);
    found = found * 3 + memory[1];
    MPI_Barrier(MPI_COMM_WORLD);
  }
  printf("rank %d: found %lx after %ld turns\n", rank, found, turns);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
