// OpenMP with MPI_THREAD_SERIALIZED: whichever thread gets the critical section makes the next
// call.
// run: ranks=2 groups=1;0,1 times=20
// build: flags="-O2 -fopenmp" pass=only
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { kThreads = 3, kCalls = 30 };

int main(int argc, char** argv) {
  int level, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int sequence[kThreads * kCalls], received[kThreads * kCalls], count = 0;
#pragma omp parallel num_threads(kThreads)
  for (int i = 0; i < kCalls; ++i) {
#pragma omp critical
    {
      const int mine = omp_get_thread_num() * 1000 + i;
      MPI_Sendrecv(&mine, 1, MPI_INT, 1 - rank, 0, &received[count], 1, MPI_INT, 1 - rank, 0,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sequence[count++] = mine;
    }
  }
  for (int i = 0; i < count; ++i) printf("%d<%d ", sequence[i], received[i]);
  printf("\n");
  MPI_Finalize();
  return 0;
}
