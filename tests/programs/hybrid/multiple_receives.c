// Two threads receive at the same time, each from its own tag. The second reads what the first
// received: that both called MPI does not order them. Fixed: each reads its own.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: done
// expect race: store @{receive} load @{read}
static int values[2][16];
static volatile int seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int mine[16] = {0};
  MPI_Request sends[2];
  for (int tag = 0; tag < 2; ++tag)
    MPI_Isend(mine, 16, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD, &sends[tag]);
#ifdef FIXED
  const int which = 1;
#else
  const int which = 0;
#endif
#pragma omp parallel num_threads(2)
  {
    const int me = omp_get_thread_num();
    MPI_Recv(values[me], 16, MPI_INT, 1 - rank, me, MPI_COMM_WORLD, /*{receive}*/
             MPI_STATUS_IGNORE);
    if (me == 1) seen = values[which][3]; /*{read}*/
  }
  MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
  if (rank == 0) printf("done\n");
  MPI_Finalize();
  return 0;
}
