// Threads that make no MPI calls, as in OpenMP, fill a window between two fences, and sum up what
// was put into it between the next two. The rank's calls around their loads and stores order them.
// Fixed: a fence between the stores and the puts.
#include <pthread.h>

#include "../rma/rma.h"
// run: ranks=2
// output: 102400
// expect race: put @{put} store @{store}
enum { kElements = 4096, kRounds = 50, kWorkers = 3 };

static int *memory, sums[kWorkers];
static enum { Fill, Add, End } task;
static pthread_barrier_t begun, done;

__attribute__((noinline)) static void fill(int* from, int count) {
  for (int i = 0; i < count; ++i) from[i] = 1; /*{store}*/
}

static void* work(void* argument) {
  const int self = (int)(long)argument, first = self * kElements / kWorkers,
            last = (self + 1) * kElements / kWorkers;
  for (;;) {
    pthread_barrier_wait(&begun);
    if (task == End) return NULL;
    if (task == Fill) fill(memory + first, last - first);
    for (int i = first; task == Add && i < last; ++i) sums[self] += memory[i];
    pthread_barrier_wait(&done);
  }
}

static void let_all(int what) {
  task = what;
  pthread_barrier_wait(&begun);
  if (what != End) pthread_barrier_wait(&done);
}

int main(int argc, char** argv) {
  begin(argc, argv);
  pthread_barrier_init(&begun, NULL, kWorkers + 1);
  pthread_barrier_init(&done, NULL, kWorkers + 1);
  pthread_t threads[kWorkers];
  for (long i = 0; i < kWorkers; ++i) pthread_create(&threads[i], NULL, work, (void*)i);
  MPI_Win win;
  memory = int_window(kElements, &win);
  static int ones[kElements / 2];
  for (int i = 0; i < kElements / 2; ++i) ones[i] = 1;
  MPI_Win_fence(0, win);
  for (int round = 0; round < kRounds; ++round) {
    let_all(Fill);
#ifdef FIXED
    MPI_Win_fence(0, win);
#endif
    MPI_Put(ones, kElements / 2, MPI_INT, 1 - rank, 0, kElements / 2, MPI_INT, win); /*{put}*/
    MPI_Win_fence(0, win);
    let_all(Add);
    MPI_Win_fence(0, win);
  }
  let_all(End);
  for (int i = 0; i < kWorkers; ++i) pthread_join(threads[i], NULL);
  if (rank == 0) printf("%d\n", sums[0] + sums[1] + sums[2] - kRounds * kElements / 2);
  MPI_Win_free(&win);
  MPI_Finalize();
}
