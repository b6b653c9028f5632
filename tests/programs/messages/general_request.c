// A generalized request that the testing thread completes itself: program order determines the
// result of each test. The bug: the last test is for a message that may not have arrived.
//
// run: ranks=2
// expect not deterministic
// output: tested 7 times, got 5
#include <mpi.h>
#include <stdio.h>

static int query(void* state, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* state) { return MPI_SUCCESS; }
static int cancel(void* state, int complete) { return MPI_SUCCESS; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, tested = 0, done = 0, index, got = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Request requests[2];
  for (int i = 0; i < 2; ++i) MPI_Grequest_start(query, release, cancel, NULL, &requests[i]);
  for (int i = 0; i < 2; ++i, ++tested) MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE);
  MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE), ++tested;
  MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE), ++tested;
  MPI_Request_get_status(requests[1], &done, MPI_STATUS_IGNORE), ++tested;
  MPI_Grequest_complete(requests[1]);
  MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE), ++tested;
  MPI_Grequest_complete(requests[0]);
  MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE), ++tested;
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
#ifndef FIXED
    // Rank 1 sends on request: the first test fails.
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
#endif
    MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (index == 1) printf("tested %d times, got %d\n", tested, got);
  } else {
    const int five = 5;
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&five, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}
