// One thread makes MPI progress for the others: it tests their requests in a loop, and sets a flag
// for each that is complete. Fixed: the others wait for their flag.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
enum { kWorkers = 3 };
static int incoming[kWorkers][16], outgoing[16];
static volatile int seen[kWorkers];
static MPI_Request requests[kWorkers];
static atomic_int complete[kWorkers];

static void* work(void* argument) {
  const int me = (int)(size_t)argument;
  while (
#ifdef FIXED
      1 &&
#else
      me != 1 &&
#endif
      !atomic_load_explicit(&complete[me], memory_order_acquire))
    sched_yield();
  seen[me] = incoming[me][5]; /*{read}*/
  return NULL;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  pthread_t threads[kWorkers];
  for (int i = 0; i < kWorkers; ++i) pthread_create(&threads[i], NULL, work, (void*)(size_t)i);
  MPI_Request sends[kWorkers];
  for (int i = 0; i < kWorkers; ++i) {
    MPI_Irecv(incoming[i], 16, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &requests[i]); /*{receive}*/
    MPI_Isend(outgoing, 16, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &sends[i]);
  }
  for (int left = kWorkers; left > 0;)
    for (int i = 0; i < kWorkers; ++i) {
      int done = 0;
      if (requests[i] == MPI_REQUEST_NULL) continue;
      MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
      if (!done) continue;
      atomic_store_explicit(&complete[i], 1, memory_order_release);
      --left;
    }
  for (int i = 0; i < kWorkers; ++i) pthread_join(threads[i], NULL);
  MPI_Waitall(kWorkers, sends, MPI_STATUSES_IGNORE);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
