// Two threads send at the same time to one rank with the same tag: the messages may arrive in
// either order. Fixed: the second thread sends after a barrier.
#include <omp.h>
#include <unistd.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: sum 3
// expect message race: receive @{receive} send @{second}
// expect message race: receive @{other} send @{first}
int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int got[2] = {1, 2};
  if (rank == 0) {
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0)
        MPI_Send(&got[0], 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /*{first}*/
#ifdef FIXED
#pragma omp barrier
#endif
      // Not an order, but the findings name the order of the run.
      if (omp_get_thread_num() == 1) usleep(200000);
      if (omp_get_thread_num() == 1)
        MPI_Send(&got[1], 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /*{second}*/
    }
  }
  if (rank == 1) {
    MPI_Recv(&got[0], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{receive}*/
    MPI_Recv(&got[1], 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /*{other}*/
  }
  if (rank == 1) printf("sum %d\n", got[0] + got[1]);
  MPI_Finalize();
  return 0;
}
