// One buffer for all steps, and one barrier per step: the next message may arrive while the other
// thread still reads. Fixed: two buffers in turn.
#include <pthread.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int buffers[2][8], sum;
static pthread_barrier_t barrier;

#ifdef FIXED
#define BUFFER(i) buffers[(i) & 1]
#else
#define BUFFER(i) buffers[0]
#endif

static void* consume(void* unused) {
  for (int i = 0; i < 4; ++i) {
    pthread_barrier_wait(&barrier);
    for (int j = 0; j < 8; ++j) sum += BUFFER(i)[j]; /*{read}*/
  }
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  if (rank == 0) {
    for (int i = 0; i < 4; ++i) MPI_Send(buffers[0], 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, consume, NULL);
    for (int i = 0; i < 4; ++i) {
      MPI_Recv(BUFFER(i), 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
      pthread_barrier_wait(&barrier);
    }
    pthread_join(thread, NULL);
    pthread_barrier_destroy(&barrier);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
