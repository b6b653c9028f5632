// MPI_THREAD_MULTIPLE: four threads of each rank communicate concurrently, with different tags.
// Each event names its thread.
#include <pthread.h>
#include "check.h"
// run: ranks=2
// build: flags=-pthread
// output: 4 threads, 10 messages each
// expect rank all: MPI_Init_thread level=MULTIPLE t0 @main
// expect count=40 rank all: MPI_Isend reads=*+8(1xMPI_LONG) @talk
// expect count=40 rank all: MPI_Recv writes=*+8(1xMPI_LONG) @talk
// expect count=40 rank all: MPI_Wait done=[*]
// expect count=10 rank all: MPI_Isend t1
// expect count=10 rank all: MPI_Isend t2
// expect count=10 rank all: MPI_Isend t3
// expect count=10 rank all: MPI_Isend t4
// expect count=10 rank all: MPI_Recv t4
// expect count=10 rank all: MPI_Wait t4
// expect not rank all: MPI_Isend t0
// expect not rank all: MPI_Recv error=*
// expect rank all: MPI_Barrier t0
// expect rank all: MPI_Finalize t0

static int g_rank;

static void* talk(void* argument) {
  const long tag = (long)argument;
  for (long i = 0; i < 10; ++i) {
    long out = 100 * tag + i, in = -1;
    MPI_Request request;
    MPI_Isend(&out, 1, MPI_LONG, 1 - g_rank, (int)tag, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_LONG, 1 - g_rank, (int)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == 100 * tag + i);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  CHECK(level == MPI_THREAD_MULTIPLE);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  pthread_t threads[4];
  for (long i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, talk, (void*)(i + 1));
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  if (g_rank == 0) printf("4 threads, 10 messages each\n");
  MPI_Finalize();
}
