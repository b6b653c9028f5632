// A thread of its own waits for all requests; the others start them and use the buffers when it has
// told them so. Fixed: the reader waits for the semaphore.
#include <pthread.h>
#include <semaphore.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int incoming[64], outgoing[64];
static volatile int seen;
static MPI_Request requests[2];
static sem_t started, complete;

static void* progress(void* unused) {
  sem_wait(&started);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  sem_post(&complete);
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  sem_init(&started, 0, 0);
  sem_init(&complete, 0, 0);
  pthread_t thread;
  pthread_create(&thread, NULL, progress, NULL);
  MPI_Irecv(incoming, 64, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]); /*{receive}*/
  MPI_Isend(outgoing, 64, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
  sem_post(&started);
#ifdef FIXED
  sem_wait(&complete);
#endif
  seen = incoming[5]; /*{read}*/
  pthread_join(thread, NULL);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
