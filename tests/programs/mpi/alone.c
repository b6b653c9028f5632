// One rank that communicates with itself: MPI_COMM_SELF, a window, and a generalized request.
#include "check.h"
// run: ranks=1 env=OMPI_MCA_osc:pt2pt,sm
// output: alone 3
// expect define rank 0: MPI_COMM_SELF group={0}
// expect rank 0: MPI_Irecv comm=MPI_COMM_SELF from=0 request=$in
// expect rank 0: MPI_Send comm=MPI_COMM_SELF to=0 tag=1
// expect rank 0: MPI_Wait requests=[$in] done=[$in:from=0,tag=1,bytes=4]
// expect rank 0: MPI_Win_create comm=MPI_COMM_SELF newwin=$win
// expect rank 0: MPI_Accumulate win=$win target=0 op=MPI_SUM
// expect rank 0: MPI_Grequest_start request=$general
// expect rank 0: MPI_Test requests=[$general] flag=0
// expect rank 0: MPI_Grequest_complete request=$general
// expect rank 0: MPI_Wait requests=[$general] done=[$general]
// expect end rank 0: exit 0

static int query(void* state, MPI_Status* status) {
  (void)state;
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
static int release(void* state) { return (void)state, MPI_SUCCESS; }
static int cancel(void* state, int complete) { return (void)state, (void)complete, MPI_SUCCESS; }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int out = 1, in = 0, flag;
  _Alignas(64) int memory = 2;  // MPICH 4.0 with UCX fails for windows that begin elsewhere
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  MPI_Send(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win win;
  MPI_Win_create(&memory, 4, 4, MPI_INFO_NULL, MPI_COMM_SELF, &win);
  MPI_Win_fence(0, win);
  MPI_Accumulate(&in, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(0, win);
  MPI_Win_free(&win);
  MPI_Grequest_start(query, release, cancel, NULL, &request);
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK(!flag);
  MPI_Grequest_complete(request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  printf("alone %d\n", memory);
  MPI_Finalize();
}
