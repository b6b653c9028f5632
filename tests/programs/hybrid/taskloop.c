// Tasks of a taskloop receive one message each, and the thread that made them sums them up. Fixed:
// without nogroup, a taskloop ends when all its tasks do.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
enum { kMessages = 8 };
static int values[kMessages];
#ifdef FIXED
#define NOGROUP
#else
#define NOGROUP nogroup
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  MPI_Request sends[kMessages];
  int mine[kMessages];
  for (int i = 0; i < kMessages; ++i) {
    mine[i] = i;
    MPI_Isend(&mine[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &sends[i]);
  }
  volatile int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp taskloop grainsize(1) NOGROUP
    for (int i = 0; i < kMessages; ++i)
      MPI_Recv(&values[i], 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, /*{receive}*/
               MPI_STATUS_IGNORE);
    for (int i = 0; i < kMessages; ++i) sum += values[i]; /*{read}*/
  }
  MPI_Waitall(kMessages, sends, MPI_STATUSES_IGNORE);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
