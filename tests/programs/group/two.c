// Two of 16 ranks: rank 11 puts a wrong index into the memory of rank 5, which uses it. The others
// put into each other's memory and exchange messages.
// run: ranks=16 failure=5 group=5,11 prints="rank 5: wrong index 1011"
#include <mpi.h>
#include <stdio.h>

enum { kRounds = 3 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  volatile int* memory;
  MPI_Win win;
  MPI_Win_allocate(4 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, (void*)&memory,
                   &win);
  for (int i = 0; i < 4; ++i) memory[i] = 0;
  MPI_Barrier(MPI_COMM_WORLD);

  const int partner = rank == 5 || rank == 11 ? 16 - rank : (rank + 8) % 16;
  int failed = 0, sum = 0;
  for (int round = 1; round <= kRounds; ++round) {
    MPI_Win_fence(0, win);
    int index = 100 * round + rank;
    if (rank == 11 && round == kRounds) index = 1011;
    if (rank != 3 && rank != 13) MPI_Put(&index, 1, MPI_INT, partner, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    const int found = memory[0];
    sum += found;
    if (found > 1000) failed = found;
    if (rank != 5 && rank != 11) {  // a chain of messages among the others
      int token = rank;
      const int next = rank == 4 ? 6 : rank == 10 ? 12 : rank + 1;
      const int last = rank == 6 ? 4 : rank == 12 ? 10 : rank - 1;
      if (rank > 0) MPI_Recv(&token, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank < ranks - 1) MPI_Send(&token, 1, MPI_INT, next, 0, MPI_COMM_WORLD);
    }
  }
  if (failed != 0)
    printf("rank %d: wrong index %d\n", rank, failed);
  else
    printf("rank %d: sum %d\n", rank, sum);
  MPI_Win_free(&win);
  MPI_Finalize();
  return failed != 0 ? 3 : 0;
}
