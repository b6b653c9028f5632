// Rank 0 puts and tells rank 1 so; a thread of rank 1 receives that, and another one loads. Fixed:
// the second waits for the first.
#include <pthread.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: put @{put} load @{load}
static int* memory;
static volatile int seen;
static pthread_barrier_t meet;

static void* load(void* unused) {
#ifdef FIXED
  pthread_barrier_wait(&meet);
#endif
  seen = memory[0]; /*{load}*/
#ifndef FIXED
  pthread_barrier_wait(&meet);
#endif
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  MPI_Win win;
  MPI_Win_allocate(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  memory[0] = 0;
  pthread_barrier_init(&meet, NULL, 2);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    const int one = 1;
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /*{put}*/
    MPI_Win_flush(1, win);
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    pthread_t thread;
    pthread_create(&thread, NULL, load, NULL);
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_barrier_wait(&meet);
    pthread_join(thread, NULL);
  }
  MPI_Win_unlock_all(win);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
