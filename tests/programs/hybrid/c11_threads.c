// Threads, a mutex and a condition variable of C11. Fixed: the thread waits for the condition.
#include <threads.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[8], sum, ready;
static mtx_t mutex;
static cnd_t condition;
static once_flag once = ONCE_FLAG_INIT;

static void prepare(void) { ready = 0; }

static int work(void* unused) {
  (void)unused;
  call_once(&once, prepare);
#ifdef FIXED
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&condition, &mutex);
  mtx_unlock(&mutex);
#endif
  sum = values[1]; /*{read}*/
  return 0;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  if (rank == 0) {
    MPI_Send(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    thrd_t thread;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    call_once(&once, prepare);
    thrd_create(&thread, work, NULL);
    MPI_Recv(values, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
    mtx_lock(&mutex);
    ready = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    thrd_join(thread, NULL);
    values[1] = sum;
    MPI_Send(values, 8, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    MPI_Recv(values, 8, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("done\n");
  }
  MPI_Finalize();
  return 0;
}
