// One thread locks and puts, another one unlocks. The origin buffer is free after the unlock, not
// before. Fixed: the first thread waits for it.
#include <pthread.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: load @{put} store @{reuse}
static MPI_Win win;
static pthread_barrier_t started, over;
static int origin[8];

static void* unlock(void* unused) {
  pthread_barrier_wait(&started);
  MPI_Win_unlock(1 - rank, win);
  pthread_barrier_wait(&over);
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
  int* memory;
  MPI_Win_allocate(8 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  pthread_barrier_init(&started, NULL, 2);
  pthread_barrier_init(&over, NULL, 2);
  pthread_t thread;
  pthread_create(&thread, NULL, unlock, NULL);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
  MPI_Put(origin, 8, MPI_INT, 1 - rank, 0, 8, MPI_INT, win); /*{put}*/
  pthread_barrier_wait(&started);
#ifdef FIXED
  pthread_barrier_wait(&over);
#endif
  origin[0] = 1; /*{reuse}*/
#ifndef FIXED
  pthread_barrier_wait(&over);
#endif
  pthread_join(thread, NULL);
  if (rank == 0) printf("done\n");
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
