// Correct: each thread allocates, fills and frees blocks of its own; the allocator hands a block of
// one thread to the next, which sends it.
#include <pthread.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect no race
enum { kBytes = 1 << 20, kRounds = 8 };
static volatile int sink;

static void* fill(void* unused) {
  int* const block = malloc(kBytes);
  for (int i = 0; i < kBytes / (int)sizeof(int); ++i) block[i] = i;
  sink = block[17];
  free(block);
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int* const incoming = malloc(64 * sizeof(int));
  for (int round = 0; round < kRounds; ++round) {
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    int* const block = malloc(kBytes);
    for (int i = 0; i < 64; ++i) block[i] = i;
    MPI_Sendrecv(block, 64, MPI_INT, 1 - rank, 0, incoming, 64, MPI_INT, 1 - rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    free(block);
    pthread_join(thread, NULL);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
