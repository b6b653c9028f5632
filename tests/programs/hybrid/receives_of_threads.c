// Two threads receive at the same time with the same source and tag: each may get either message.
// Fixed: a tag for each.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: sum 3
// expect message race: receive @{receive} send @{send}
// expect report buggy: The match depends on timing: the receive accepts both messages of rank 0, and no happens-before path orders the threads that send or receive them.
int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
#ifdef FIXED
  const int tags = 1;
#else
  const int tags = 0;
#endif
  int got[2] = {1, 2};
  if (rank == 0)
    for (int i = 0; i < 2; ++i)
      MPI_Send(&got[i], 1, MPI_INT, 1, tags * i, MPI_COMM_WORLD); /*{send}*/
  if (rank == 1) {
#pragma omp parallel num_threads(2)
    {
      const int me = omp_get_thread_num();
      MPI_Recv(&got[me], 1, MPI_INT, 0, tags * me, MPI_COMM_WORLD, /*{receive}*/
               MPI_STATUS_IGNORE);
    }
  }
  if (rank == 1) printf("sum %d\n", got[0] + got[1]);
  MPI_Finalize();
  return 0;
}
