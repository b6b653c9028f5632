// Correct: a task starts a receive, another thread waits for it and completes the task; the task
// that depends on it reads behind both.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 1
// expect no race
static int values[16], mine[16] = {0, 0, 0, 1};
static int seen, started;
static MPI_Request requests[2];
static omp_event_handle_t handle;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      omp_event_handle_t event;
#pragma omp task depend(out : values) detach(event)
      {
        MPI_Irecv(values, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(mine, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
        handle = event;
#pragma omp atomic write release
        started = 1;
      }
#pragma omp task depend(in : values)
      seen = values[3];
#pragma omp taskwait
    } else {
      for (int ready = 0; ready == 0;) {
#pragma omp atomic read acquire
        ready = started;
      }
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      omp_fulfill_event(handle);
    }
  }
  if (rank == 0) printf("%d\n", seen);
  MPI_Finalize();
  return 0;
}
