// A thread sends its results when it ends, in the destructor of its thread-specific data. Fixed:
// the other thread joins it before it stores there.
#include <pthread.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: load @{send} store @{store}
static int results[8];
static pthread_key_t key;

static void leave(void* data) { MPI_Send(data, 8, MPI_INT, 1, 0, MPI_COMM_WORLD); /*{send}*/ }

static void* work(void* unused) {
  for (int i = 0; i < 8; ++i) results[i] = i;
  pthread_setspecific(key, results);
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  if (rank == 0) {
    pthread_t thread;
    pthread_key_create(&key, leave);
    pthread_create(&thread, NULL, work, NULL);
#ifdef FIXED
    pthread_join(thread, NULL);
    results[3] = 0;
#else
    results[3] = 0; /*{store}*/
    pthread_join(thread, NULL);
#endif
    printf("done\n");
  } else {
    MPI_Recv(results, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
