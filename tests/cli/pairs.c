// Three findings that have no rank in common: rank 0 puts into rank 1, which gets it; rank 2 puts
// into rank 3, which gets it; rank 4 takes a message of rank 5 or 6 first. "say": rank 1 says what
// it got. "sum": rank 0 says the sum of what 1 and 3 got, and rank 3 is early or late by chance.
// Otherwise nothing depends on who is first.
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, seven = 7, got = -1, sum = 0;
  const int says = argc > 1 && strcmp(argv[1], "say") == 0;
  const int sums = argc > 1 && strcmp(argv[1], "sum") == 0;
  int* memory;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int early = sums && rank == 3 && now.tv_nsec / 1000 % 2 == 0;
  if (sums && rank == 2) usleep(20000);
  // Late enough for the puts, mostly. Those of MPICH need the target's progress.
  for (int i = 0, flag; i < 100 && (rank == 1 || rank == 3) && !early; ++i) {
    MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    usleep(2000);
  }
  if (rank == 0) MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  if (rank == 1) MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
  if (rank == 2) MPI_Put(&seven, 1, MPI_INT, 3, 0, 1, MPI_INT, win);
  if (rank == 3) MPI_Get(&got, 1, MPI_INT, 3, 0, 1, MPI_INT, win);
  MPI_Win_unlock_all(win);
  if (rank != 1 && rank != 3) got = 0;
  MPI_Reduce(&got, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && sums) printf("sum %d\n", sum);
  if (rank == 4)
    for (int i = 0; i < 2; ++i)
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > 4) MPI_Send(&seven, 1, MPI_INT, 4, 0, MPI_COMM_WORLD);
  if (rank == 1 && says) printf("got %d\n", got);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
