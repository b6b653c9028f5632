// A flag tells the other thread that the message is there. Relaxed, it orders nothing. Fixed: the
// flag is written with release and read with acquire order.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 1
// expect race: store @{receive} load @{read}
static int values[16], mine[16] = {0, 1};
static int seen, flag;
#ifdef FIXED
#define WRITE release
#define READ acquire
#else
#define WRITE relaxed
#define READ relaxed
#endif

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_FUNNELED);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    MPI_Sendrecv(mine, 16, MPI_INT, 1 - rank, 0, values, 16, MPI_INT, 1 - rank, 0, /*{receive}*/
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp atomic write WRITE
    flag = 1;
  } else {
    for (int ready = 0; ready == 0;) {
#pragma omp atomic read READ
      ready = flag;
    }
    seen = values[1]; /*{read}*/
  }
  if (rank == 0) printf("%d\n", seen);
  MPI_Finalize();
  return 0;
}
