// A task starts a receive and ends when another thread says that the message is there; a task that
// depends on it reads. Fixed: the dependence is stated.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[16], mine[16];
static volatile int seen;
static MPI_Request requests[2];
#ifdef FIXED
#define IN depend(in : values)
#else
#define IN
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_SERIALIZED);
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task depend(out : requests) depend(out : values) detach(event)
    {
      MPI_Irecv(values, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[0]); /*{receive}*/
      MPI_Isend(mine, 16, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      omp_fulfill_event(event);
    }
#pragma omp task IN
    seen = values[3]; /*{read}*/
  }
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
