// The main thread sends what another one fills. Fixed: it joins that thread first, with a time
// limit.
#include <pthread.h>
#include <time.h>

#include "hybrid.h"
// build: flags="-pthread -D_GNU_SOURCE"
// run: ranks=2
// output: done
// expect race: load @{send} store @{fill}
static int values[8];

static void* fill(void* unused) {
  for (int i = 0; i < 8; ++i) values[i] = i; /*{fill}*/
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
  if (rank == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
#ifdef FIXED
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    if (pthread_timedjoin_np(thread, NULL, &until) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
#endif
    MPI_Send(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD); /*{send}*/
#ifndef FIXED
    pthread_join(thread, NULL);
#endif
    printf("done\n");
  } else {
    MPI_Recv(values, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return 0;
}
