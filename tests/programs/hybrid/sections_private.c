// Correct: one thread runs several sections, with variables of its own on its stack, and the values
// of the last one.
#include <omp.h>

#include "hybrid.h"
// build: flags="-fopenmp"
// run: ranks=2
// output: 3
// expect no race
static void exchange(int tag, const int* out, int* in) {
  MPI_Sendrecv(out, 4, MPI_INT, 1 - rank, tag, in, 4, MPI_INT, 1 - rank, tag, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
  int scratch[4], last = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp sections private(scratch) lastprivate(last)
    {
#pragma omp section
      {
        int in[4];
        scratch[0] = 0;
        exchange(0, scratch, in);
        last = in[0];
      }
#pragma omp section
      {
        int in[4];
        scratch[0] = 1;
        exchange(1, scratch, in);
        last = in[0];
      }
#pragma omp section
      {
        int in[4];
        scratch[0] = 2;
        exchange(2, scratch, in);
        last = in[0];
      }
#pragma omp section
      {
        scratch[0] = 3;
        int received[4];
        exchange(3, scratch, received);
        last = received[0];
      }
    }
  }
  if (rank == 0) printf("%d\n", last);
  MPI_Finalize();
  return 0;
}
