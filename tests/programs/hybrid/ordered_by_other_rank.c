// Correct: a thread receives and sends to another rank, whose answer another thread of this rank
// gets: so the second thread comes after the first, by way of the other rank.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 7
// expect no race
static int values[16];
static int seen;

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  if (rank == 1) {
    int mine[16] = {0, 0, 0, 7};
    MPI_Send(mine, 16, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_INT, 0, 2, MPI_COMM_WORLD);
  } else {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
      MPI_Recv(values, 16, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(NULL, 0, MPI_INT, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      seen = values[3];
    }
    printf("%d\n", seen);
  }
  MPI_Finalize();
  return 0;
}
