// Threads take turns in calling MPI, as with OpenMP's `single`, and each stores its part of the
// window before one of them calls the fence. A store of a thread precedes the next MPI call of any
// thread, not only its own. The first thread stores before there are others; one has ended before
// any call. Fixed: a fence between the stores and the puts.
#include <pthread.h>

#include "../rma/rma.h"
// run: ranks=2
// output: 36864
// (Two paths to the put, four to the store: six of the eight pairs.)
// expect race: put @{put} store @{store}
// expect race: put @{put} store @{store}
// expect race: put @{put} store @{store}
// expect race: put @{put} store @{store}
// expect race: put @{put} store @{store}
// expect race: put @{put} store @{store}
enum { kElements = 3072, kRounds = 12, kThreads = 3 };

static int *memory, ones[kElements];
static MPI_Win win;
static pthread_barrier_t meet;

__attribute__((noinline)) static void fill(int* from, int count) {
  for (int i = 0; i < count; ++i) from[i] = 1; /*{store}*/
}

// One of the threads makes the call that all wait for.
static void fence_once(int self, int turn) {
  pthread_barrier_wait(&meet);
  if (self == turn % kThreads) MPI_Win_fence(0, win);
  pthread_barrier_wait(&meet);
}

static void* work(void* argument) {
  const int self = (int)(long)argument, part = kElements / kThreads;
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) fill(memory + self * part, part);
#ifdef FIXED
    fence_once(self, round);
#endif
    pthread_barrier_wait(&meet);
    if (self == (round + 1) % kThreads)
      MPI_Put(ones, kElements, MPI_INT, 1 - rank, 0, kElements, MPI_INT, win); /*{put}*/
    fence_once(self, round + 2);
  }
  return NULL;
}

static void* fill_last_part(void* unused) {
  fill(memory + kElements / kThreads, kElements - kElements / kThreads);
  return unused;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  if (level < MPI_THREAD_SERIALIZED) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(kElements * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                   &win);
  for (int i = 0; i < kElements; ++i) ones[i] = 1;
  MPI_Win_fence(0, win);
  fill(memory, kElements / kThreads);
  pthread_t threads[kThreads];
  pthread_create(&threads[0], NULL, fill_last_part, NULL);
  pthread_join(threads[0], NULL);
  pthread_barrier_init(&meet, NULL, kThreads);
  for (long i = 1; i < kThreads; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  work((void*)0);
  for (int i = 1; i < kThreads; ++i) pthread_join(threads[i], NULL);
  int sum = 0;
  for (int i = 0; i < kElements; ++i) sum += memory[i];
  if (rank == 0) printf("%d\n", kRounds * sum);
  MPI_Win_free(&win);
  MPI_Finalize();
}
