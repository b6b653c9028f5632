// Ranks 0 and 2 put to the same place in turn: a token goes around, through rank 1.
#include <mpi.h>

enum { kRounds = 20 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  long *memory, token = 1;
  MPI_Win win;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Win_allocate(64, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int round = 0; round < kRounds; ++round) {
    if (rank != 0 || round != 0)
      MPI_Recv(&token, 1, MPI_LONG, (rank + 2) % 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 1) {
      MPI_Put(&token, 1, MPI_LONG, 0, 3, 1, MPI_LONG, win);
      MPI_Win_flush(0, win);
    }
    if (rank != 2 || round != kRounds - 1)
      MPI_Send(&token, 1, MPI_LONG, (rank + 1) % 3, 0, MPI_COMM_WORLD);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
