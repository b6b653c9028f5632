// MPI forwards what other ranks put into a window, and the program itself never loads it. Also a
// send from a null buffer, whose error code the program receives.
// run: ranks=3 groups=0-2;1,2;0,1
#include <mpi.h>
#include <stdio.h>

enum { kWords = 500 };

static void tell(const char* what, const int* words, int count) {
  unsigned long sum = 0;
  for (int i = 0; i < count; ++i) sum = sum * 1099511628211ul + (unsigned)words[i];
  printf("%s %016lx\n", what, sum);
}

int main(int argc, char** argv) {
  static int mine[kWords], got[3 * kWords];
  int rank, ranks, *memory;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win win, other;
  int* far;
  MPI_Win_allocate(kWords * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_allocate(kWords * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &far, &other);
  MPI_Datatype every_other;
  MPI_Type_vector(kWords / 2, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < kWords; ++i) mine[i] = i * (rank + 3) + round;
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    MPI_Put(mine, kWords, MPI_INT, next, 0, kWords, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Sendrecv(memory, kWords, MPI_INT, next, 1, got, kWords, MPI_INT, before, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    tell("sent on", got, kWords);
    MPI_Sendrecv(memory, 1, every_other, next, 1, got, kWords / 2, MPI_INT, before, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    tell("every other", got, kWords / 2);
    if (ranks <= 3) {
      MPI_Allgather(memory, kWords, MPI_INT, got, kWords, MPI_INT, MPI_COMM_WORLD);
      tell("gathered", got, ranks * kWords);
    }
    MPI_Put(memory, kWords, MPI_INT, next, 0, kWords, MPI_INT, other);
    MPI_Win_fence(0, other);
    tell("put on", far, kWords);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  printf("refused: %d\n", MPI_Send(NULL, kWords, MPI_INT, next, 1, MPI_COMM_WORLD) != MPI_SUCCESS);
  MPI_Type_free(&every_other);
  MPI_Win_free(&other);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
