// One thread says under the write lock that the message is there, and the other looks under the
// read lock until it is. Fixed: the first one has received it by then.
#include <pthread.h>
#include <time.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int values[16], mine[16], there;
static volatile int seen;

static void* reader(void* unused) {
  for (int found = 0; found == 0;) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    if (pthread_rwlock_tryrdlock(&lock) != 0 && pthread_rwlock_timedrdlock(&lock, &until) != 0)
      abort();
    found = there;
    if (found) seen = values[3]; /*{read}*/
    pthread_rwlock_unlock(&lock);
  }
  return unused;
}

static void say(void) {
  pthread_rwlock_wrlock(&lock);
  there = 1;
  pthread_rwlock_unlock(&lock);
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  pthread_t thread;
  pthread_create(&thread, NULL, reader, NULL);
#ifndef FIXED
  say();
#endif
  MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#ifdef FIXED
  say();
#endif
  pthread_join(thread, NULL);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
