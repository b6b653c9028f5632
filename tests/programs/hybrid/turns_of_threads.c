// Threads send and receive with one tag and take turns, in a critical section and as ordered by a
// message of the other rank. No race.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: sum 18
// expect no race
int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int sum = 0;
#pragma omp parallel num_threads(3)
  {
    int got = 0;
#pragma omp critical
    {
      MPI_Sendrecv(&(int){1}, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum += got;
    }
#pragma omp barrier
    for (int turn = 0; turn < 3; ++turn) {
      if (turn == omp_get_thread_num()) {
        MPI_Sendrecv(&(int){5}, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum += got;
      }
#pragma omp barrier
    }
  }
  if (rank == 1) printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
