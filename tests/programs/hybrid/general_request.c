// A worker thread fills a buffer and completes a generalized request; the first thread waits for
// the request and sends the buffer. The bug: the worker stores once more after it has completed it.
#include <pthread.h>

#include "hybrid.h"
// build: flags="-pthread"
// run: ranks=2
// output: done
// expect race: load @{send} store @{late}
static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* state) { return (void)state, MPI_SUCCESS; }
static int cancel(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

static int values[8];
static MPI_Request request;

static void* fill(void* unused) {
  for (int i = 0; i < 8; ++i) values[i] = rank + i;
  MPI_Request filled = request;
  MPI_Grequest_complete(filled);
#ifndef FIXED
  values[3] = 7; /*{late}*/
#endif
  return unused;
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  for (int round = 0; round < 3; ++round) {
    pthread_t worker;
    MPI_Grequest_start(query, release, cancel, NULL, &request);
    pthread_create(&worker, NULL, fill, NULL);
    if (rank == 0) {
      int done = 0;
      if (round == 2)
        while (!done) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
      else if (round == 1)
        while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      if (round != 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Send(values, 8, MPI_INT, 1, 0, MPI_COMM_WORLD); /*{send}*/
    } else {
      int got[8];
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Recv(got, 8, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    pthread_join(worker, NULL);
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
