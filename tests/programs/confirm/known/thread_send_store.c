// One thread sends a buffer that another thread changes.
#include <omp.h>

#include "../../hybrid/hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// truth: harmful
static int buffer[256];
int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  if (rank == 0) {
    buffer[0] = 1;
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0)
        MPI_Send(buffer, 256, MPI_INT, 1, 0, MPI_COMM_WORLD);
      else
        buffer[0] = 2;
    }
  } else {
    MPI_Recv(buffer, 256, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("received %d\n", buffer[0]);
  }
  MPI_Finalize();
  return 0;
}
