// What the cluster's tests run, on ranks of several nodes:
//   spread races
//     a message race (ranks 1 and 2 to rank 0) and a one-sided race (put of rank 0, get of rank 2
//     in rank 1's memory)
//   spread ring
//     blocks of 4 KiB go round the ring, and into the next rank's window; each rank prints a sum
//   spread until FILE [racy]
//     the ring, again and again, until FILE exists; rank 0 makes FILE.going when it has begun.
//     racy: before that, ranks 0 and 1 put to the same place of rank 2
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { kNumbers = 1024, kSteps = 10 };

static int rank, ranks;

static void races(void) {
  int first = -1, other = -1, seven = 7, got = -1, *memory;
  if (rank == 0) {
    MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("first %d\n", first);
  } else if (rank <= 2) {
    MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  MPI_Win win;
  MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Put(&seven, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_unlock(1, win);
  }
  if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    MPI_Get(&got, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
    MPI_Win_unlock(1, win);
    printf("got %d\n", got);
  }
  MPI_Win_free(&win);
}

static long ring(int steps, const char* end, int racy) {
  static int sent[kNumbers], received[kNumbers];
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  int* memory;
  long sum = 0;
  MPI_Win win;
  MPI_Win_allocate(sizeof sent, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memset(memory, 0, sizeof sent);
  if (racy) {
    MPI_Win_fence(0, win);
    if (rank < 2) MPI_Put(&rank, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
  }
  for (int step = 0, over = 0; end != NULL ? !over : step < steps; ++step) {
    for (int i = 0; i < kNumbers; ++i) sent[i] = rank * 1000000 + step * 1000 + i % 1000;
    MPI_Sendrecv(sent, kNumbers, MPI_INT, next, 2, received, kNumbers, MPI_INT, before, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Win_fence(0, win);
    MPI_Put(received, kNumbers, MPI_INT, next, 0, kNumbers, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < kNumbers; ++i) sum = (sum * 31 + received[i] + memory[i]) % 1000000007;
    if (end == NULL) continue;
    if (rank == 0 && step == 10) {
      char going[4096];
      snprintf(going, sizeof going, "%s.going", end);
      FILE* file = fopen(going, "w");
      if (file != NULL) fclose(file);
    }
    if (rank == 0) over = access(end, F_OK) == 0;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    usleep(5000);
  }
  MPI_Win_free(&win);
  return sum;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char host[MPI_MAX_PROCESSOR_NAME];
  int length;
  MPI_Get_processor_name(host, &length);
  if (argc > 1 && strcmp(argv[1], "races") == 0) races();
  if (argc > 1 && strcmp(argv[1], "ring") == 0) {
    const long sum = ring(kSteps, NULL, 0);
    printf("rank %d on %s: %ld\n", rank, host, sum);
  }
  if (argc > 2 && strcmp(argv[1], "until") == 0) ring(0, argv[2], argc > 3);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
