// One rank dereferences a null pointer; the others wait for it.
// run: ranks=4 groups=2;0,2 exit=nonzero
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, round = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (;; ++round) {
    int sum = 0;
    MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    printf("rank %d, round %d: %d\n", rank, round, sum);
    fflush(stdout);
    if (rank == 2 && sum >= 40) {
      volatile int* nowhere = NULL;
      *nowhere = sum;
    }
  }
}
