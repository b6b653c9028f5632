// Puts, gets and stores that only locks and messages keep in order, and no collective over all
// ranks but those that make the window. Behind them, one put that nothing orders. no_cuts PUTS
// [SLOTS]
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int puts = argc > 1 ? atoi(argv[1]) : 1000;
  const int slots = argc > 2 ? atoi(argv[2]) : 512;  // of each rank, in everybody's window
  long *memory, values[2] = {rank, 0};
  MPI_Win win;
  MPI_Win_allocate((MPI_Aint)size * slots * sizeof(long), sizeof(long), MPI_INFO_NULL,
                   MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < puts; ++i) {
    const int target = (rank + 1 + i % (size - 1)) % size;
    MPI_Put(&values[0], 1, MPI_LONG, target, rank * slots + i % slots, 1, MPI_LONG, win);
    if (i % 64 == 63) MPI_Win_flush_all(win);
  }
  MPI_Win_flush_all(win);
  // In turn, by messages.
  int token = 0;
  if (rank > 0) MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Put(&values[0], 1, MPI_LONG, 0, 3, 1, MPI_LONG, win);
  MPI_Win_flush(0, win);
  if (rank < size - 1) MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
  // All at once.
  MPI_Get(&values[1], 1, MPI_LONG, 0, 3, 1, MPI_LONG, win);
  MPI_Win_flush(0, win);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
}
