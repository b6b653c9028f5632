// A thread adds up what another thread of the rank receives. It calls no MPI function: its loop is
// over when the thread ends. Fixed: it starts behind the receive.
#include <pthread.h>

#include "../hybrid/hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect confirmed, harmful: store @{receive} load @{add}
enum { kValues = 64 };
static int values[kValues], sum;

static void* add(void* unused) {
  for (int i = 0; i < kValues; ++i) sum += values[i]; /*{add}*/
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  int mine[kValues];
  for (int i = 0; i < kValues; ++i) mine[i] = 1;
  if (rank == 1) {
    MPI_Send(mine, kValues, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    pthread_t adder;
#ifndef FIXED
    pthread_create(&adder, NULL, add, NULL);
#endif
    MPI_Recv(values, kValues, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
#ifdef FIXED
    pthread_create(&adder, NULL, add, NULL);
#endif
    pthread_join(adder, NULL);
    printf("%s\ndone\n", sum == kValues ? "complete" : "incomplete");
  }
  MPI_Finalize();
  return 0;
}
