// Rank 0 puts 7 into rank 1 while rank 2 gets it. What rank 2 does about a 0 is the argument: say,
// crash, hang, write (to a file); stay: whatever it got, the program never ends; never: it does not
// come to that.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const char* what = argc > 1 ? argv[1] : "say";
  int rank, seven = 7, got = -1;
  int* memory;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  while (strcmp(what, "never") == 0) sleep(1);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_unlock(1, win);
  }
  if (rank == 2) {
    // Late enough for the put, mostly.
    usleep(200000);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_unlock(1, win);
    if (strcmp(what, "say") == 0) printf("got %d\n", got);
    if (strcmp(what, "crash") == 0 && got == 0) abort();
    while (strcmp(what, "hang") == 0 && got == 0) sleep(1);
    while (strcmp(what, "stay") == 0) sleep(1);
    if (strcmp(what, "write") == 0) {
      FILE* file = fopen("result.txt", "w");
      fprintf(file, "got %d\n", got);
      fclose(file);
    }
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  if (rank == 0) printf("process %d is done\n", (int)getpid());
  return 0;
}
