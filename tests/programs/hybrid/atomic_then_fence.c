// A flag is set with release order and read without: the reader needs a fence behind its loop.
// Then the same the other way round: a fence in front of a relaxed store, and an acquiring load.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static atomic_int flag, answer;
static int values[8], more[8], sum;

static void* consume(void* unused) {
  while (!atomic_load_explicit(&flag, memory_order_relaxed)) sched_yield();
#ifdef FIXED
  atomic_thread_fence(memory_order_acquire);
#endif
  sum += values[1]; /*{read}*/
  while (!atomic_load_explicit(&answer, memory_order_acquire)) sched_yield();
  sum += more[1];
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  if (rank == 0) {
    MPI_Send(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Send(more, 8, MPI_INT, 1, 1, MPI_COMM_WORLD);
  } else {
    pthread_t thread;
    pthread_create(&thread, NULL, consume, NULL);
    MPI_Recv(values, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
    atomic_store_explicit(&flag, 1, memory_order_release);
    MPI_Recv(more, 8, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&answer, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
