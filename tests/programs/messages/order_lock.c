// Rank 0 holds its lock until it has the first message, and has notified rank 2, which sends after
// it has held the same lock. Fixed: the locks are exclusive; shared ones do not exclude each other.
//
// run: ranks=3
// expect message race: receive @{first} send @{give}
// expect independent of send buffering
// output: 1 2
// output buggy: * *
#include <mpi.h>
#include <stdio.h>

#ifdef FIXED
#define LOCK MPI_LOCK_EXCLUSIVE
#else
#define LOCK MPI_LOCK_SHARED
#endif

// Whichever message matches first, the other one could have.
__attribute__((noinline)) static void give(int value) {
  MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); /*{give}*/
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, values[2], token = 0, *memory;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  if (rank == 0) {
    MPI_Win_lock(LOCK, 0, 0, win);
    MPI_Send(&token, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
    MPI_Recv(&values[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE); /*{first}*/
    MPI_Win_unlock(0, win);
    MPI_Recv(&values[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%d %d\n", values[0], values[1]);
  }
  if (rank == 1) give(rank);
  if (rank == 2) {
    MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_lock(LOCK, 0, 0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);
    give(rank);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
